/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of user addresses: of programs, and of copyin and its like. Each that is resolved is
 * counted by what it took, in counters (group "uvm") and in its process (process_faults).
 *
 * Several threads on several CPUs may fault at the same page: the first brings it, the others find
 * it there (they are counted as faults all the same).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trap;
struct vm;

enum vm_fault {
    VM_FAULT_DONE,     /* the access can be tried again */
    VM_FAULT_UNMAPPED, /* SIGSEGV, SEGV_MAPERR; also where a stack may not grow */
    VM_FAULT_RIGHTS,   /* SIGSEGV, SEGV_ACCERR */
    VM_FAULT_BEYOND,   /* SIGBUS, BUS_ADRERR: behind an object's end, or it cannot be read */
    VM_FAULT_MEMORY,   /* there is none; the process is to be killed */
};

/* ACCESS is ASPACE_READ, _WRITE or _EXECUTE. Thread context, interrupts on, VM's lock not held. */
enum vm_fault vm_fault(struct vm *vm, uintptr_t address, unsigned access);

/* For struct trap_owner: `fault`. True: resolved. */
bool vm_fault_trap(const struct trap *trap);
/* For struct trap_owner's `exception`, of a trap with `translation`, which vm_fault_trap did not
 * resolve: why not. VM_FAULT_DONE: another thread has changed that meanwhile, try again. */
enum vm_fault vm_fault_cause(const struct trap *trap);
