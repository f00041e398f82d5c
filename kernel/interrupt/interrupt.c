/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dispatcher: what happens between a machine's vector and a device's handler, on every machine.
 *
 * A line that interrupts while its priority level is masked (or being served) is noted in the CPU's
 * deferred list and served when the level falls; a level-triggered line stays masked at its chip
 * until then. Lines below IPL_SCHED are served with the CPU's interrupts on, so more urgent ones
 * nest; each level nests at most once, which bounds the stack.
 */
#include "kernel/interrupt/interrupt.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <machine/cell.h>
#include "kernel/time/clock.h"
#include "kernel/time/cpu_clock.h"

/* The whole of a delivery is one function. */
#define INLINE static inline __attribute__((always_inline))

/* Nobody claimed the interrupt, or several did. */
static __attribute__((noinline)) void interrupt_count_oddity(struct interrupt_line *line,
                                                             unsigned served)
{
    if (served == 0) {
        evcnt_incr(&line->spurious);
        if (line->level)
            interrupt_storm_note(line);
    }
    for (; served > 1; served--)
        evcnt_incr(&line->multiple);
}

static __attribute__((noinline)) void interrupt_record_long(struct histogram *service,
                                                            uint64_t cycles)
{
    histogram_add_shared(service, clock_cycles_to_ns(cycles));
}

/* Notes how long a line's handlers took. */
static inline void interrupt_record(struct histogram *service, uint64_t cycles)
{
    if (__builtin_expect(clock_is_short(cycles), 1))
        histogram_add_shared(service, clock_short_ns(cycles));
    else
        interrupt_record_long(service, cycles);
}

static __attribute__((noinline)) void interrupt_call_several(struct interrupt_line *line)
{
    unsigned served = 0;

    for (struct interrupt_handler *handler = line->handlers; handler; handler = handler->next) {
        if (!handler->function(handler->argument))
            continue;
        evcnt_incr(&handler->count);
        served++;
        if (line->chip->soft) /* each soft interrupt was counted on the line: one at a time */
            break;
    }
    if (served != 1)
        interrupt_count_oddity(line, served);
}

/* Calls the handlers of LINE and counts by claim. */
INLINE void interrupt_call_handlers(struct interrupt_line *line)
{
    struct interrupt_handler *handler = line->handlers;

    if (__builtin_expect(!handler || handler->next, 0))
        interrupt_call_several(line);
    else if (__builtin_expect(handler->function(handler->argument), 1))
        evcnt_incr(&handler->count);
    else
        interrupt_count_oddity(line, 0);
}

/* Where an interrupt comes: in a thread, or in another interrupt or just behind one. */
enum nesting { OUTERMOST, PERHAPS_NESTED };

/* The time of interrupts begins, with what was read before: other CPUs look at the interrupted
 * thread's time meanwhile. */
INLINE void interrupt_begin_time(struct cpu *cpu, uint64_t start, enum nesting nesting)
{
    if (nesting == OUTERMOST || !cpu->in_handler)
        CPU_TIME(cpu->time_interrupt -= start);
}

/* The line with these CELLS has had so many cycles of its OWN. */
INLINE void interrupt_end_time(struct cpu *cpu, struct interrupt_cells *cells, uint64_t end,
                               uint64_t own, enum nesting nesting)
{
    cell_add(&cells->cycles, own);
    if (nesting == OUTERMOST || !cpu->in_handler)
        CPU_TIME(cpu->time_interrupt += end);
    else
        cpu->nested += own;
}

/* LINE was masked while it was served or waited; unless it has come again, or too often for nobody,
 * it may now. */
static inline void interrupt_unmask(struct cpu *cpu, struct interrupt_line *line)
{
    if (line->unmasked && line->here[cpu->id].deferred == 0)
        line->chip->unmask(line);
}

/* A line of IPL_SCHED keeps interrupts off; others turn them on, and are therefore masked at their
 * chip if they are level-triggered. */
enum manner { KEEPS_OFF, TURNS_ON };

static inline enum manner interrupt_manner_at(uint64_t ipl)
{
    return ipl < IPL_SCHED ? TURNS_ON : KEEPS_OFF;
}

/* Serves LINE at its level; interrupts off on both sides. LINE's time has begun, at START, and
 * ends. */
INLINE void interrupt_serve(struct cpu *cpu, struct interrupt_line *line, uint64_t start,
                            enum nesting nesting, enum manner manner)
{
    uint64_t level = cpu->level, inner = 0, end, elapsed;
    struct interrupt_cells *cells;

    cpu->in_handler = true;
    cpu->ipl = manner == KEEPS_OFF ? IPL_SCHED : line->ipl;
    if (manner == TURNS_ON) {
        line->here[cpu->id].nested = cpu->nested;
        line->here[cpu->id].active++;
        interrupts_enable();
    }
    interrupt_call_handlers(line);
    if (manner == TURNS_ON) {
        interrupts_disable();
        line->here[cpu->id].active--;
        interrupt_unmask(cpu, line);
        inner = cpu->nested - line->here[cpu->id].nested; /* that is of what came between */
    }
    end = cpu_stamp(cpu);
    cpu->level = level;
    elapsed = cycles_between(start, end);
    cells = line->cells;
    interrupt_end_time(cpu, cells, end, elapsed - inner, nesting);
    interrupt_record(&cells->service, elapsed);
}

static void interrupt_defer(struct cpu *cpu, struct interrupt_line *line)
{
    if (line->here[cpu->id].deferred++ == 0) {
        struct interrupt_line **tail = &cpu->deferred[line->ipl];

        while (*tail)
            tail = &(*tail)->here[cpu->id].next;
        line->here[cpu->id].next = NULL;
        *tail = line;
        cpu->deferred_levels |= (uint8_t)(1u << line->ipl);
    }
    cpu->attention = 1;
}

static inline bool interrupt_is_deferred(const struct cpu *cpu)
{
    return cpu->deferred_levels >> (cpu->ipl + 1) != 0;
}

/* Serves deferred lines above the CPU's level, the most urgent first; interrupts off. */
static __attribute__((noinline)) void interrupt_run_deferred(struct cpu *cpu)
{
    while (interrupt_is_deferred(cpu)) {
        int level = 31 - __builtin_clz(cpu->deferred_levels);
        struct interrupt_line *line = cpu->deferred[level];
        uint64_t start = cpu_stamp(cpu);

        interrupt_begin_time(cpu, start, PERHAPS_NESTED);
        if (--line->here[cpu->id].deferred == 0) {
            cpu->deferred[level] = line->here[cpu->id].next;
            if (!cpu->deferred[level])
                cpu->deferred_levels &= (uint8_t)~(1u << level);
        }
        interrupt_serve(cpu, line, start, PERHAPS_NESTED, interrupt_manner_at(line->ipl));
        if (line->ipl == IPL_SCHED)
            interrupt_unmask(cpu, line);
    }
}

/* LINE's level is closed. In another interrupt, the few cycles are that one's. */
static void interrupt_postpone(struct cpu *cpu, struct interrupt_line *line, uint64_t start)
{
    bool outermost = !cpu->in_handler;
    uint64_t end;

    if (outermost)
        interrupt_begin_time(cpu, start, OUTERMOST);
    if (line->level)
        line->chip->mask(line);
    line->acknowledge(line);
    interrupt_defer(cpu, line);
    end = cpu_stamp(cpu);
    if (outermost)
        interrupt_end_time(cpu, line->cells, end, cycles_between(start, end), OUTERMOST);
}

/* LINE's level is open. */
INLINE void interrupt_deliver(struct cpu *cpu, struct interrupt_line *line, uint64_t start,
                              enum nesting nesting, enum manner manner)
{
    interrupt_begin_time(cpu, start, nesting);
    if (manner == TURNS_ON && line->level)
        line->chip->mask(line);
    line->acknowledge(line);
    interrupt_serve(cpu, line, start, nesting, manner);
}

/* Another thread may run before this returns. */
static void interrupt_exit_to_interrupted(struct cpu *cpu)
{
    bool outer = cpu->returning;

    cpu->returning = true;
    interrupt_exit();
    cpu_current()->returning = outer;
}

static __attribute__((noinline)) void
interrupt_dispatch_nested(struct cpu *cpu, struct interrupt_line *line, uint64_t start)
{
    if (cpu->ipl < line->ipl)
        interrupt_deliver(cpu, line, start, PERHAPS_NESTED, interrupt_manner_at(line->ipl));
    else
        interrupt_postpone(cpu, line, start);
    if (cpu->attention)
        interrupt_exit_to_interrupted(cpu);
}

/* As a rule LINE interrupts a thread: then cpu->in_handler is false, and cpu->level no more than
 * its ipl. */
void interrupt_dispatch(struct interrupt_line *line)
{
    struct cpu *cpu = cpu_current();
    uint64_t start = cpu_stamp(cpu), ipl = line->ipl;

    evcnt_incr(&line->count);
    if (__builtin_expect(cpu->level >= ipl, 0)) {
        interrupt_dispatch_nested(cpu, line, start);
        return;
    }
    if (interrupt_manner_at(ipl) == KEEPS_OFF) /* the clock's, most often */
        interrupt_deliver(cpu, line, start, OUTERMOST, KEEPS_OFF);
    else
        interrupt_deliver(cpu, line, start, OUTERMOST, TURNS_ON);
    if (__builtin_expect(cpu->attention, 0))
        interrupt_exit_to_interrupted(cpu);
}

void interrupt_raise_soft(struct interrupt_line *line)
{
    evcnt_incr(&line->count);
    interrupt_defer(cpu_current(), line);
}

void interrupt_exit(void)
{
    struct cpu *cpu = cpu_current();

    if (interrupt_is_deferred(cpu))
        interrupt_run_deferred(cpu);
    if (!cpu->in_handler && cpu->ipl == IPL_NONE) {
        cpu->attention = 0;
        if (cpu->reschedule)
            thread_preempt();
    }
}

bool interrupt_active(void)
{
    return cpu_here.in_handler;
}
