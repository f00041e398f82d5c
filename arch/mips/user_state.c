/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program keeps in the CPU besides the registers of its frame: those of CP1, 64 bits wide
 * (Status.FR), from their first use on: until then CP1 is unusable to it, and there is nothing to
 * save. And the thread pointer: CPUs without UserLocal trap at `rdhwr` (MIPS64 Release 2), so that
 * the kernel tells it.
 */
#include <arch/user.h>
#include <arch/copy.h>
#include <arch/frame.h>
#include "arch/mips/trap.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"
#include "lib/string.h"

/* FCSR's cause and enable bits: a cause that is enabled traps when it is written; the topmost, an
 * unimplemented operation, always is. */
#define FCSR_CAUSE  0x3f000u
#define FCSR_ENABLE 0xf80u
#define FCSR_ALWAYS 0x20000u
#define FCSR_SHIFT  5 /* from an enable bit to its cause */

#define AREA_SIZE (33 * sizeof(uint64_t))

struct user_state *user_state_create(void)
{
    return kmem_zalloc(sizeof(struct user_state));
}

void user_state_reset(struct user_state *state)
{
    memset(state, 0, sizeof *state);
}

void user_state_free(struct user_state *state)
{
    kmem_free(state);
}

void user_state_copy(struct user_state *to, const struct user_state *from)
{
    *to = *from;
}

void user_state_set_tls(struct user_state *state, uint64_t base)
{
    state->tls = base;
}

uint64_t user_state_tls(const struct user_state *state)
{
    return state->tls;
}

const void *user_state_area(const struct user_state *state, size_t *size)
{
    *size = AREA_SIZE;
    return state->registers;
}

/* user_state_load sees to FCSR. */
bool user_state_set_area(struct user_state *state, const void *area, size_t size)
{
    if (size < AREA_SIZE)
        return false;
    memcpy(state->registers, area, AREA_SIZE);
    state->used = true;
    return true;
}

uint64_t user_state_features(void)
{
    return 0;
}

bool user_first_float(struct trap_frame *frame)
{
    struct user_state *state = thread_current()->user;

    if (state->used)
        return false;
    (void)frame; /* gets CP1 with the registers, on the way back */
    state->used = true;
    thread_user_look(cpu_current());
    return true;
}

#define RDHWR_29      0x7c00e83bu
#define RDHWR_29_MASK 0xffe0ffffu /* all but rt */

bool user_thread_pointer(struct trap_frame *frame)
{
    uint64_t pc = frame->epc + (frame->cause & CAUSE_BD ? 4 : 0), next;
    uint32_t word;

    if (copyin((const void *)pc, &word, sizeof word) != 0 || (word & RDHWR_29_MASK) != RDHWR_29)
        return false;
    next = branch_next(frame);
    if (next == 0)
        return false;
    frame->reg[word >> 16 & 31] = thread_current()->user->tls;
    thread_current()->emulated++;
    frame->epc = next;
    return true;
}

#define EACH_REGISTER(instruction)                                                                 \
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,"   \
    "31\n\t" instruction " $f\\n, \\n * 8(%1)\n\t.endr\n\t"
/* The kernel has CP1 for a moment; Status is 0 in bits 31-16 otherwise. */
#define WITH_CP1(text)                                                                             \
    ".set push; .set noreorder; .set hardfloat; .set fp=64\n\t"                                    \
    "mtc0 %2, $12; nop; nop; nop; nop\n\t" text "mtc0 %3, $12; nop; nop; .set pop"

void user_state_save(struct user_state *state)
{
    uint32_t status = CP0_READ32(12);

    __asm__ volatile(WITH_CP1(EACH_REGISTER("sdc1") "cfc1 %0, $31\n\t")
                     : "=&r"(state->registers[USER_STATE_FCSR])
                     : "r"(state->registers), "r"(status | STATUS_CU1 | STATUS_FR), "r"(status)
                     : "memory");
}

/* Those of FCSR's causes that trap when they are written. */
static uint64_t user_state_trapping(uint64_t fcsr)
{
    return fcsr & ((fcsr & FCSR_ENABLE) << FCSR_SHIFT | FCSR_ALWAYS) & FCSR_CAUSE;
}

uint32_t user_state_take_causes(struct user_state *state)
{
    uint64_t causes = user_state_trapping(state->registers[USER_STATE_FCSR]);

    state->registers[USER_STATE_FCSR] &= ~causes;
    return (uint32_t)(causes / (FCSR_CAUSE & -FCSR_CAUSE));
}

void user_state_load(const struct user_state *state)
{
    uint32_t status = CP0_READ32(12);
    uint64_t fcsr = state->registers[USER_STATE_FCSR];

    fcsr &= ~user_state_trapping(fcsr);
    __asm__ volatile(WITH_CP1(EACH_REGISTER("ldc1") "ctc1 %0, $31\n\t")
                     :
                     : "r"(fcsr), "r"(state->registers), "r"(status | STATUS_CU1 | STATUS_FR),
                       "r"(status)
                     : "memory");
}
