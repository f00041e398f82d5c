/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults by what they took; each is of one kind. In NetBSD's words (struct uvmexp) as counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum vm_kind {
    VM_KIND_THERE,     /* the page was there, and the process's own: flt_anon */
    VM_KIND_ZEROED,    /* a new one, 0: flt_przero */
    VM_KIND_COPIED,    /* one that others had as well was copied at a write: flt_acow */
    VM_KIND_OBJECT,    /* the object's own: flt_obj */
    VM_KIND_PROMOTED,  /* a copy of the object's, which was not there before: flt_prcopy */
    VM_KIND_NO_MEMORY, /* fltnoram */
    VM_KIND_REFUSED,   /* not mapped, not allowed, behind the end: flt_refused */
    VM_KINDS
};

/* What CPU has counted. Any context. */
uint64_t vm_count_on(enum vm_kind kind, unsigned cpu);

/* One more, the running thread's process's, with a device or without. Under its vm's lock. */
void vm_count_fault(enum vm_kind kind, bool device);
