/* SPDX-License-Identifier: BSD-2-Clause */
/* What QEMU's main loop does, which brings timers and what comes in sockets to the guest. */
#ifndef QPMU_PLUGIN_MAIN_LOOP_H
#define QPMU_PLUGIN_MAIN_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum main_loop {
    MAIN_LOOP_SLEEPS, /* in its poll: it has done all there was; or nothing can be known, or it asks
                       */
    MAIN_LOOP_RUNS,   /* or is about to, when the host has a CPU for it */
    MAIN_LOOP_WAITS,  /* for something else: a lock, or one of the guest's CPUs */
};

/* Linux tells it in /proc. False, with errno: it does not. To be called before the next one. */
bool main_loop_open(const char **path);
enum main_loop main_loop_look(void);
/* Nanoseconds of a host's CPU that it has had; 0: nothing can be known. */
uint64_t main_loop_time(void);

#endif
