/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor: vectors, pins, idling, its name by PRId (MIPS R10000 User's Manual 14.13). */
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include <arch/softint.h>
#include <machine/frame.h>
#include <machine/register.h>
#include "arch/mips/vector.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "lib/format.h"
#include "lib/string.h"

#define IMPLEMENTATION(prid) ((prid) >> 8 & 0xff)
#define R10000               0x09

struct cpu cpu_self = {.self = &cpu_self};
extern struct interrupt_line *vector_timer_line; /* read by vector.S */
struct interrupt_line *vector_timer_line;
static struct interrupt_line *pin2_line, *pin4_line;
static bool (*poll_pin2)(void);

extern const char vector_refill[], vector_refill_end[], vector_general[], vector_general_end[];
extern const char vector_interrupt[], vector_interrupt_end[];
extern const uint32_t cpu_idle_check[];
void cpu_idle(volatile const bool *work);
void interrupt_entry(struct interrupt_frame *frame, uintptr_t epc, uint32_t pending);

static void cpu_copy_vector(uintptr_t offset, const char *from, const char *end)
{
    memcpy((void *)(KSEG0_BASE + offset), from, (size_t)(end - from));
}

void cpu_boot(void)
{
    cpu_copy_vector(0x000, vector_refill,
                    vector_refill_end); /* 32-bit TLB refill; not reached while KX is set */
    cpu_copy_vector(0x080, vector_refill, vector_refill_end);
    cpu_copy_vector(0x100, vector_general, vector_general_end); /* cache error */
    cpu_copy_vector(0x180, vector_general, vector_general_end);
    cpu_copy_vector(0x200, vector_interrupt, vector_interrupt_end);
    CP0_WRITE32(13, CP0_READ32(13) | CAUSE_IV); /* stays 0 where there is none, as on an R10000 */
}

bool cpu_is_r10000(void)
{
    return IMPLEMENTATION(CP0_READ32(15)) == R10000;
}

void cpu_set_lines(struct interrupt_line *timer, struct interrupt_line *pin2, bool (*poll)(void))
{
    vector_timer_line = timer;
    pin2_line = pin2;
    poll_pin2 = poll;
}

/*
 * Puts EPC back where the interrupted instructions must not be torn apart: the increment of
 * <machine/evcnt.h>, to its load, and cpu_idle, to its test. Only they have 27, k1's number, in
 * bits 20-16, so one test lets all others pass.
 */
#define REGISTER(high) ((high) & 31) /* of bits 31-16 */
#define K1             27
#define ADD_K1         0x677b0001u /* daddiu k1, k1, 1 */
#define STORE_OPCODE   0x3fu       /* sd */

/* IP2: the i8259 pair knows what it was. */
static void cpu_pin2(void)
{
    evcnt_incr(&pin2_line->count);
    if (!poll_pin2())
        evcnt_incr(&pin2_line->spurious);
}

void cpu_serve_pin(uint32_t pending)
{
    if (pending & CAUSE_IP7) {
        interrupt_dispatch(vector_timer_line);
    } else if (pending & CAUSE_IP4) {
        interrupt_dispatch(pin4_line);
    } else if (pending & CAUSE_IP2) {
        cpu_pin2();
    } else if (pending & (CAUSE_IP0 | CAUSE_IP1)) {
        CP0_WRITE32(13, CP0_READ32(13) & ~(uint32_t)(CAUSE_IP0 | CAUSE_IP1));
        interrupt_exit();
    }
}

/*
 * Everything but a timer interrupt of ordinary code. Called by vector.S with the CPU's interrupts
 * off; PENDING is Cause and Status. One interrupt an entry: others enter again.
 */
void interrupt_entry(struct interrupt_frame *frame, uintptr_t epc, uint32_t pending)
{
    uint32_t word = *(const uint32_t *)epc;

    if (REGISTER(word >> 16) == K1) {
        if (epc - (uintptr_t)cpu_idle_check < 16)
            frame->epc = (uintptr_t)cpu_idle_check;
        else if (word == ADD_K1)
            frame->epc = epc - 4;
        else if (word >> 26 == STORE_OPCODE)
            frame->epc = epc - 8;
    }
    cpu_serve_pin(pending);
}

void cpu_set_pin4(struct interrupt_line *line)
{
    pin4_line = line;
}

bool softint_kick(int level)
{
    CP0_WRITE32(13, CP0_READ32(13) | (level >= IPL_SOFTNET ? CAUSE_IP1 : CAUSE_IP0));
    return true;
}

void cpu_wait(volatile const bool *work)
{
    if (cpu_is_r10000())
        interrupts_enable(); /* an R10000 has no wait: the idle loop turns */
    else
        cpu_idle(work);
}

_Noreturn void cpu_stop(void)
{
    interrupts_disable();
    for (;;) {
        volatile bool work = false;

        CP0_WRITE32(12, CP0_READ32(12) & ~(uint32_t)STATUS_IM);
        cpu_wait(&work);
    }
}

size_t cpu_describe(char *buffer, size_t size)
{
    uint32_t prid = CP0_READ32(15);

    if (cpu_is_r10000())
        return format(buffer, size, "MIPS R10000 Processor Chip Revision: %u.%u", prid >> 4 & 15,
                      prid & 15);
    return format(buffer, size, "MIPS64 Processor, PRId 0x%08x", prid);
}

void *context_prepare(char *stack, size_t size)
{
    extern void context_first(void);
    uint64_t *top = (uint64_t *)(stack + size) - 4;

    memset(top - 12, 0, 96);
    top[-3] = (uint64_t)context_first;
    top[-2] = CP0_READ32(12) & ~(uint32_t)STATUS_IE;
    return top;
}
