/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-ins until the kernel's own parts are in the tree. */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/smp.h>
#include "kernel/cpu.h"
#include "kernel/cross_call.h"
#include "kernel/log.h"
#include "kernel/panic.h"
#include "kernel/scheduler.h"

__attribute__((weak)) _Noreturn void cpu_main(void)
{
    cpu_here.running = true;
    cpu_stop();
}

__attribute__((weak)) void cpu_start_others(void)
{
    unsigned n = smp_start();
    log_printf("cpu: %u running", n);
}

__attribute__((weak)) int cross_call_interrupt(void *unused)
{
    (void)unused;
    return 1;
}

__attribute__((weak)) int scheduler_interrupt(void *unused)
{
    (void)unused;
    return 1;
}

__attribute__((weak)) void tlb_shootdown(uintptr_t address, uintptr_t size)
{
    (void)address;
    (void)size;
}

__attribute__((weak)) _Noreturn void panic_stopped(struct trap_frame *frame)
{
    (void)frame;
    cpu_stop();
}
