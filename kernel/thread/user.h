/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads in user mode: their time there, and what they keep in a CPU.
 *
 * The registers of struct user_state stay in the CPU while the thread is in the kernel, which does
 * not use them. They are saved when the thread loses its CPU, and loaded when it next goes to user
 * mode, unless they are still there.
 */
#pragma once

#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/trap.h"

struct trap_frame;
struct user_state;
struct thread;

/* The running thread may go to user mode from now on (user_start in <arch/user.h>); OWNER answers
 * for it then. 0, -ENOMEM. Again: another owner, and the state of a program that begins. */
int thread_user_prepare(const struct trap_owner *owner);
/* The same with a STATE of user_state_create's, which is the thread's from now on. */
void thread_user_adopt(const struct trap_owner *owner, struct user_state *state);
/* It will not go there any more; otherwise its end does that. */
void thread_user_end(void);
/* The running thread's state, with the registers saved in it: for who reads it. */
struct user_state *thread_user_state(void);
/* It was changed: what is in it counts now, not what is in the CPU. */
void thread_user_state_changed(void);

/*
 * The ways between the modes are in kernel/thread/user_way.h. What a thread has to do before it
 * goes to user mode, other than take its CPU's registers along, comes seldom: its CPU's user_look
 * is set then, so that one word tells that there is nothing. Set wherever such a thing may have
 * come up: at each switch to a thread, when the thread that runs here is interrupted, and when what
 * is in the CPU of a program's registers is not what is to be there. Interrupts off.
 */
static inline void thread_user_look(struct cpu *cpu)
{
    cpu->user_look = 1;
}

/* For the scheduler: FROM, whose registers are unsaved in this CPU, is about to lose it. */
void thread_user_save(struct thread *from);
