/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions and system calls, machine-independent part: counting by cause, who is asked about one,
 * and what happens to one that nobody expected.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/evcnt.h>

struct trap_frame; /* the machine's saved registers, <machine/frame.h> */

/* An exception. */
struct trap {
    struct trap_frame *frame;
    struct evcnt *counter; /* the cause's */
    struct evcnt *part;    /* of that what is counted besides, or NULL */
    const char *cause;
    uint64_t address; /* that was used, where the cause is one; else the instruction's */
    bool user;        /* it came from user mode */
    bool translation; /* no page at the address, or not for this */
    bool write, execute;
    bool fatal; /* nothing can go on after it */
    /* What the machine itself can do about it, or NULL. True: done. */
    bool (*machine)(struct trap_frame *frame);
};

/*
 * Who answers for a thread that goes to user mode (kernel/thread/user.h). All are called in that
 * thread, on its kernel stack, interrupts as they were for the program; each may sleep then, and
 * may, but for system_call, change the frame's registers: the program goes on with those. A
 * function other than the two of system calls may be NULL.
 */
struct trap_owner {
    /* The address space: true if the access can be tried again. Also for a fault of copyin and its
     * kin; not asked in handlers, and not with interrupts off. */
    bool (*fault)(const struct trap *trap);
    /* What nobody else resolved, of user mode: true if the program goes on. */
    bool (*exception)(const struct trap *trap);
    /*
     * A system call: the result, if there is no more to be done. A negative one, as errors are,
     * says that there is: then call_rest is next. FRAME has what the call was told, and where it
     * was made; of other registers only those that a program finds unchanged after a call, and on
     * MIPS only those of them that C functions do not preserve.
     */
    long (*system_call)(struct trap_frame *frame, const struct trap_owner *owner);
    /* What remains of a call that returned RESULT, with a whole frame (what no program relies on
     * after a call may be 0 in it): puts the result there. */
    void (*call_rest)(struct trap_frame *frame, long result);
    /* On the way back to user mode, with interrupts on, again and again while the thread's
     * `interrupted` is set: takes that (thread_interruption_take), or does not return. */
    void (*interrupted)(struct trap_frame *frame);
};

/*
 * The only place where exceptions are counted and reported. Asks, in this order: the machine, the
 * address space of the running thread, the table of recoveries (trap_fixup), trap_try, the thread's
 * owner. Returns if one of them has resolved it: then the program goes on with the frame's
 * registers. Otherwise panics with registers and stack trace. Interrupts off on both sides.
 */
void trap_dispatch(const struct trap *trap);

/* Counter of the system calls; attached by the machine, with its exceptions. */
extern struct evcnt trap_system_calls;

/* For the machine: a system call out of user mode is counted, and handed to who answers for it;
 * interrupts as they were for the program. */
static inline long trap_system_call(const struct trap_owner *owner, struct trap_frame *frame)
{
    evcnt_incr(&trap_system_calls);
    return owner->system_call(frame, owner);
}

/* For the machine: whether system_call returned that there is more to be done. */
static inline bool trap_call_has_rest(long result)
{
    return __builtin_expect((unsigned long)result >= -4095ul, 0);
}

/*
 * An instruction that may fault, and where the kernel goes on then, with all registers as they were
 * (assembly: .section link_set_trap_fixups, "a"; two addresses). Costs nothing while it does not.
 */
struct trap_fixup {
    uintptr_t at, go_on;
};

/*
 * Runs FUNCTION(ARGUMENT); true if it caused an exception, which was counted and survived: the
 * thread goes on here, with interrupts as they were. For self-tests and probes. A thread with
 * preemption off, or an IPL raised, in the function has to put that right itself.
 */
bool trap_try(void (*function)(void *), void *argument);

/* A deliberate fault (<arch/test/provoke.h>), the same everywhere: recurses without end. */
void trap_overflow_stack(void);
