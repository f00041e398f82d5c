/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which CPU a call is about. QEMU says so with each call, but where all CPUs share a thread
 * (-icount, thread=single) versions since 9.2 tell the CPU for which the block was translated, not
 * the one that executes it (their gen_cpu_index takes it for a constant), and what is added inline
 * goes to that CPU's word, or for CPUs other than 0 nowhere. So there nothing is added inline
 * (words.c), and the CPU is asked for by two of QEMU's own symbols, which binaries with loadable
 * modules export. Where they are not to be had, a plugin can tell no CPUs apart.
 */
#define _GNU_SOURCE
#include "tools/qpmu/qemu/abi.h"

#include <dlfcn.h>
#include <pthread.h>

#define MAX_KNOWN 256u

static pthread_t first_thread;
static bool one_began;
static void *known[MAX_KNOWN];   /* QEMU's CPU objects */
static void *(*object_of)(int);  /* qemu_get_cpu */
static _Thread_local void **now; /* this thread's current_cpu */

void emu_cpu_begins(unsigned cpu)
{
    if (!one_began) {
        one_began = true;
        first_thread = pthread_self();
    } else if (!emu.shared_thread && emu.api >= 2 && pthread_equal(first_thread, pthread_self())) {
        object_of = (void *(*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "qemu_get_cpu");
        emu.cpus_known = object_of && dlsym(RTLD_DEFAULT, "current_cpu");
        emu.shared_thread = true;
    }
    (void)cpu;
}

unsigned emu_cpu_now(unsigned told)
{
    if (!emu.cpus_known)
        return told;
    if (!now)
        now = dlsym(RTLD_DEFAULT, "current_cpu");
    if (told < MAX_KNOWN && known[told] == *now)
        return told;
    for (unsigned cpu = 0; cpu < MAX_KNOWN; cpu++) {
        if (!known[cpu] && !(known[cpu] = object_of((int)cpu)))
            break;
        if (known[cpu] == *now)
            return cpu;
    }
    return told;
}
