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
#include "kernel/cpu.h"
#include "kernel/interrupt.h"
#include "kernel/page.h"
#include "lib/format.h"
#include "lib/string.h"

#define IMPLEMENTATION(prid) ((prid) >> 8 & 0xff)
#define R10000               0x09

struct cpu cpu_self = {.self = &cpu_self};
static struct interrupt_line *timer_line, *pin2_line;
static bool (*poll_pin2)(void);

extern const char vector_refill[], vector_refill_end[], vector_general[], vector_general_end[];
extern const uint32_t cpu_idle_check[], cpu_idle_end[];
void cpu_idle(volatile const bool *work);
void interrupt_entry(struct trap_frame *frame, uintptr_t epc);

static void copy_vector(uintptr_t offset, const char *from, const char *end)
{
    memcpy((void *)(KSEG0_BASE + offset), from, (size_t)(end - from));
}

void cpu_boot(void)
{
    copy_vector(0x000, vector_refill, vector_refill_end); /* 32-bit TLB refill; not reached while KX is set */
    copy_vector(0x080, vector_refill, vector_refill_end);
    copy_vector(0x100, vector_general, vector_general_end); /* cache error */
    copy_vector(0x180, vector_general, vector_general_end);
}

bool cpu_is_r10000(void)
{
    return IMPLEMENTATION(CP0_READ32(15)) == R10000;
}

void cpu_set_lines(struct interrupt_line *timer, struct interrupt_line *pin2, bool (*poll)(void))
{
    timer_line = timer;
    pin2_line = pin2;
    poll_pin2 = poll;
}

/* Whether the instruction at EPC is the add or the store of an increment; see <machine/evcnt.h>. */
#define ADD_K1        0x677b0001u /* daddiu k1, k1, 1 */
#define STORE_K1      0xfc1b0000u /* sd k1, offset(any) */
#define STORE_K1_MASK 0xfc1f0000u

/* Puts EPC back where the interrupted instructions must not be torn apart. */
static inline void mips_restart(struct trap_frame *frame, uintptr_t epc)
{
    uint32_t word = *(const uint32_t *)epc;

    if (__builtin_expect((word & STORE_K1_MASK) == STORE_K1, 0))
        frame->epc = epc - 8;
    else if (__builtin_expect(word == ADD_K1, 0))
        frame->epc = epc - 4;
    else if (__builtin_expect(epc - (uintptr_t)cpu_idle_check < 16, 0))
        frame->epc = (uintptr_t)cpu_idle_check;
}

/* IP2: the i8259 pair knows what it was. */
static void pin2(void)
{
    evcnt_incr(&pin2_line->count);
    if (!poll_pin2())
        evcnt_incr(&pin2_line->spurious);
}

/* Called by vector.S with the CPU's interrupts off. One interrupt an entry: others enter again. */
void interrupt_entry(struct trap_frame *frame, uintptr_t epc)
{
    uint32_t pending = CP0_READ32(13) & (uint32_t)frame->status & STATUS_IM;

    mips_restart(frame, epc);
    if (__builtin_expect(pending & CAUSE_IP7, 1)) {
        interrupt_dispatch(timer_line);
    } else if (pending & CAUSE_IP2) {
        pin2();
    } else if (pending & (CAUSE_IP0 | CAUSE_IP1)) {
        CP0_WRITE32(13, CP0_READ32(13) & ~(uint32_t)(CAUSE_IP0 | CAUSE_IP1));
        interrupt_exit();
    }
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
        return format(buffer, size, "MIPS R10000 Processor Chip Revision: %u.%u", prid >> 4 & 15, prid & 15);
    return format(buffer, size, "MIPS64 Processor, PRId 0x%08x", prid);
}

void *context_prepare(char *stack, size_t size)
{
    extern void context_first(void);
    uint64_t *pointer = (uint64_t *)(stack + size) - 10;

    memset(pointer, 0, 80);
    pointer[9] = (uint64_t)context_first;
    return pointer;
}

/* Stacks are unmapped memory: no guard page; scheduler and traps check the bounds instead (context_check). */
char *context_stack_alloc(size_t size)
{
    return page_alloc((unsigned)__builtin_ctzl(size / PAGE_SIZE));
}

void context_stack_free(char *stack, size_t size)
{
    (void)size;
    page_free(stack);
}
