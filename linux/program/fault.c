/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's faults: what memory cannot resolve is a signal. */
#include "kernel/vm/vm_fault.h"
#include <arch/aspace.h>
#include <arch/user.h>
#include "kernel/thread/thread.h"
#include "linux/program/program_private.h"

bool task_fault(const struct trap *trap)
{
    return vm_fault_trap(trap);
}

/* False: the access can be tried again. */
static bool fault_signal(const struct trap *trap)
{
    enum vm_fault cause =
        trap->address < ASPACE_USER_END ? vm_fault_cause(trap) : VM_FAULT_UNMAPPED;

    switch (cause) {
    case VM_FAULT_DONE:
        return false;
    case VM_FAULT_MEMORY:
        program_exit(SIGKILL);
    case VM_FAULT_BEYOND:
        signal_force(SIGBUS, BUS_ADRERR, trap->address);
        return true;
    default:
        signal_force(SIGSEGV, cause == VM_FAULT_RIGHTS ? SEGV_ACCERR : SEGV_MAPERR, trap->address);
        return true;
    }
}

/* Whether it was done for the program, or is a signal already. */
static bool fault_unaligned(struct trap_frame *frame)
{
    struct thread *self = thread_current();
    enum user_access access = user_access_unaligned(frame, task_current()->aligned);

    if (access == USER_ACCESS_OTHER)
        return false;
    self->unaligned++;
    if (access == USER_ACCESS_DONE)
        self->emulated++;
    else if (access == USER_ACCESS_KEPT)
        signal_force(SIGBUS, SI_KERNEL, 0);
    else
        signal_force(SIGSEGV, SI_KERNEL, 0);
    return true;
}

bool task_exception(const struct trap *trap)
{
    uint64_t address;
    int code, signal;

    if (trap->translation) {
        (void)fault_signal(trap);
        return true;
    }
    if (fault_unaligned(trap->frame))
        return true;
    signal = signal_of_trap(trap, &code, &address);
    signal_force(signal, code, address);
    return true;
}
