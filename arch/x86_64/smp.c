/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting the other CPUs of a PC (MP Specification 1.4, appendix B.4: INIT, 10 ms, start-up IPI,
 * 200 us, and once more), interrupting them, stopping them.
 *
 * A CPU begins in low memory (ap_entry.S), on tables of its own that still see it there; it leaves
 * both before anything else of the kernel runs on it.
 */
#include "arch/x86_64/smp.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/evcnt_cells.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/user.h"
#include "arch/x86_64/vector.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/base/log.h"
#include "kernel/base/panic.h"
#include "kernel/time/timer.h"
#include "lib/string.h"

#define AP_START_PAGE 8 /* physical 0x8000; ap_entry.S knows it */
#define AP_START_SIZE 512
#define EFER          0xc0000080u
#define EFER_LMA      0x400u /* the CPU's to set */

#define MS           1000000ull
#define INIT_WAIT    (10 * MS)
#define STARTUP_WAIT (MS / 5)
#define RUN_WAIT     (1000 * MS)
#define STEP         (MS / 10)

/* What ap_entry.S finds behind its code. */
struct ap_start_values {
    uint64_t cr0, cr3, cr4, efer, gs, stack;
};

extern const char ap_start[], ap_start_values[], ap_start_end[];
extern char boot_stack_end[];
static void (*enter_kernel)(void);

static struct smp_board *board;
static unsigned live = 1; /* CPUs that have been seen running */
static volatile bool stopping;
static volatile bool waited;

/* Called by ap_entry.S, on the CPU's own stack, GS in place. */
_Noreturn void smp_enter(void);

void smp_set_board(struct smp_board *new_board)
{
    board = new_board;
}

uint32_t smp_apic(unsigned cpu)
{
    return board->apic[cpu];
}

unsigned smp_find(void)
{
    if (!board)
        return 1;
    for (unsigned cpu = 1; cpu < board->cpus; cpu++)
        if (!paging_open_cpu(cpu)) {
            log_printf("smp: no memory for CPU %u", cpu);
            board->cpus = cpu;
        }
    return board->cpus;
}

static void smp_wait_over(struct timer *timer)
{
    (void)timer;
    waited = true;
}

/* Idles until clock_now() is DEADLINE. This is thread 0, which may not sleep. */
static void smp_idle_until(uint64_t deadline)
{
    static struct timer timer;

    waited = false;
    timer_set(&timer, deadline, smp_wait_over);
    while (!waited) {
        interrupts_disable();
        cpu_wait(&waited);
    }
}

static bool smp_runs_before(const struct cpu *cpu, uint64_t deadline)
{
    while (!cpu->running && clock_now() < deadline)
        smp_idle_until(clock_now() + STEP);
    return cpu->running;
}

_Noreturn void smp_enter(void)
{
    paging_use_kernel_tables();
    descriptor_boot(cpu_here.id);
    user_boot();
    board->controller->enable();
    enter_kernel();
    __builtin_unreachable();
}

static uint64_t smp_efer_read(void)
{
    return msr_read(EFER) & ~(uint64_t)EFER_LMA;
}

static size_t smp_start_offset(const char *place)
{
    return (uintptr_t)place - (uintptr_t)ap_start;
}

/* Writes the code and the values for CPU, which uses TABLES at first, to where it will begin. */
static void smp_prepare_start(unsigned cpu, uint64_t tables)
{
    char *page = memory_pointer((uint64_t)AP_START_PAGE << 12);
    struct ap_start_values values = {.cr3 = tables,
                                     .efer = smp_efer_read(),
                                     .gs = -(cpu * CPU_STRIDE),
                                     .stack = (uintptr_t)boot_stack_end - cpu * CPU_STRIDE};

    __asm__ volatile("movq %%cr0, %0" : "=r"(values.cr0));
    __asm__ volatile("movq %%cr4, %0" : "=r"(values.cr4));
    memcpy(page, ap_start, smp_start_offset(ap_start_end));
    memcpy(page + smp_start_offset(ap_start_values), &values, sizeof values);
}

/* Starts CPU, whose shadow is mapped, on TABLES. */
static bool smp_start_cpu(unsigned cpu, uint64_t tables)
{
    struct cpu *record = cpu_of(cpu);
    uint32_t apic = board->apic[cpu];
    uint64_t begin;

    record->self = record;
    record->id = cpu;
    smp_prepare_start(cpu, tables);
    board->controller->send_init(apic);
    smp_idle_until(clock_now() + INIT_WAIT);
    begin = clock_now();
    board->controller->send_startup(apic, AP_START_PAGE);
    if (!smp_runs_before(record, begin + STARTUP_WAIT))
        board->controller->send_startup(apic, AP_START_PAGE);
    if (smp_runs_before(record, begin + RUN_WAIT))
        return true;
    board->controller->send_init(
        apic); /* so that it does not come when nobody expects it any more */
    log_printf("smp: the CPU with APIC ID %u does not answer", (unsigned)apic);
    return false;
}

/* The next CPU's number is that of the one that did not come. */
static void smp_leave_out(unsigned cpu)
{
    board->cpus--;
    for (; cpu < board->cpus; cpu++)
        board->apic[cpu] = board->apic[cpu + 1];
}

static void smp_start_all(void)
{
    uint64_t tables = paging_start_tables();

    while (live < board->cpus) {
        if (paging_map_shadow(live) != 0) {
            log_printf("smp: no memory for CPU %u", live);
            return;
        }
        evcnt_cells_add_cpu(live);
        while (live < board->cpus && !smp_start_cpu(live, tables))
            smp_leave_out(live);
        if (live < board->cpus)
            live++;
    }
}

unsigned smp_start(void (*enter)(void))
{
    char saved[AP_START_SIZE]; /* that memory is the firmware's or the loader's */
    char *page = memory_pointer((uint64_t)AP_START_PAGE << 12);

    if (!board || board->cpus == 1)
        return 1;
    enter_kernel = enter;
    ASSERT(smp_start_offset(ap_start_end) <= AP_START_SIZE);
    memcpy(saved, page, sizeof saved);
    smp_start_all();
    memcpy(page, saved, sizeof saved);
    log_printf("smp: %u CPUs", live);
    return live;
}

void smp_send(unsigned cpu, enum smp_ipi what)
{
    unsigned vector = what == SMP_STANDSTILL ? VECTOR_STANDSTILL : VECTOR_IPI + what;

    board->controller->send(board->apic[cpu], vector);
}

/* Of the priority classes, a vector's upper four bits, the LAPIC holds back those up to CR8's. */
void smp_wait_standstill(void)
{
    __asm__ volatile("movq %0, %%cr8; sti; hlt; cli; movq %1, %%cr8"
                     :
                     : "r"((uint64_t)VECTOR_STANDSTILL / 16 - 1), "r"((uint64_t)0)
                     : "memory");
}

void smp_stop_others(void)
{
    stopping = true;
    for (unsigned cpu = 0; cpu < live; cpu++)
        if (cpu != cpu_here.id)
            board->controller->send_nmi(board->apic[cpu]);
}

bool smp_stopping(void)
{
    return stopping;
}

void smp_timer_start(void)
{
    board->controller->timer_start();
}
