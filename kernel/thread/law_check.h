/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking the laws of kernel/base/law.h. */
#pragma once

#include "kernel/base/law.h"

/* This CPU's cycle count when the check that is under way began, in 64 bits. */
uint64_t law_cycles(void);

/* Told of each subject of each law, while everything stands still. */
typedef void law_told_t(const struct law_finding *finding, void *argument);

struct law_check {
    const struct law *only; /* NULL: every law */
    bool planted;           /* with one more on the left side of ONLY's first subject, or, where the
                               left side may be less, as much as makes it one too many */
    law_told_t *told;       /* may be NULL */
    void *argument;
    /* What came of it. */
    uint64_t subjects, violations;
    unsigned late;            /* -EBUSY: the first CPU that did not come */
    struct law_finding first; /* violation */
};

/*
 * Checks laws once: 0, -ENOENT (PLANTED, and ONLY has no subject now), or -EBUSY: CPU LATE did not
 * come to a standstill. In the checked build a violation is the end: it panics with both sides.
 * Thread context, interrupts on, no spinlock held.
 */
int law_check(struct law_check *check);

/* The checked build: has laws checked every second from now on. Once, thread context. */
void law_watch(void);
