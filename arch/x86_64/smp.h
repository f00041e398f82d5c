/* SPDX-License-Identifier: BSD-2-Clause */
/* What the board tells about its CPUs, before smp_find: arch/x86_64/smp.c starts them by it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <arch/cpu.h>
#include <arch/smp.h>

/* How CPUs reach one another: the local APICs. Any context. */
struct smp_controller {
    void (*enable)(void);      /* this CPU's, everything masked but what comes from other CPUs */
    void (*timer_start)(void); /* this CPU's event timer */
    void (*send)(uint32_t apic, unsigned vector); /* an interrupt */
    void (*send_nmi)(uint32_t apic);              /* one that cannot be masked */
    void (*send_init)(uint32_t apic);             /* back to where a CPU waits after a reset */
    void (*send_startup)(uint32_t apic, unsigned page); /* begin at physical PAGE * 4096 */
};

struct smp_board {
    unsigned cpus;          /* 1 to CPU_MAX */
    uint32_t apic[CPU_MAX]; /* [0] is the CPU that booted */
    const struct smp_controller *controller;
};

/* BOARD stays where it is; CPUs that do not start are taken out of it. Without a call there is one
 * CPU. */
void smp_set_board(struct smp_board *board);
/* The APIC of CPU. */
uint32_t smp_apic(unsigned cpu);
/* Whether smp_stop_others has been called: NMIs mean that, from then on. */
bool smp_stopping(void);
