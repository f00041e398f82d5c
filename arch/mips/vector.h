/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's interrupt pins and exception vectors; for assembly, frames (struct trap_frame). */
#pragma once

#ifdef __ASSEMBLER__
#include <machine/register.h>

/* clang-format off */
/* What C functions preserve, but sp. */
    .macro save_preserved
    sd s0, FRAME_REG(16)(sp)
    sd s1, FRAME_REG(17)(sp)
    sd s2, FRAME_REG(18)(sp)
    sd s3, FRAME_REG(19)(sp)
    sd s4, FRAME_REG(20)(sp)
    sd s5, FRAME_REG(21)(sp)
    sd s6, FRAME_REG(22)(sp)
    sd s7, FRAME_REG(23)(sp)
    sd fp, FRAME_REG(30)(sp)
    .endm

/* All registers but sp to the frame at sp, and what was exceptional to a1 (Cause), a2 (BadVAddr), t3 (Status). */
    .macro save_all
    sd AT, FRAME_REG(1)(sp)
    sd v0, FRAME_REG(2)(sp)
    sd v1, FRAME_REG(3)(sp)
    sd a0, FRAME_REG(4)(sp)
    sd a1, FRAME_REG(5)(sp)
    sd a2, FRAME_REG(6)(sp)
    sd a3, FRAME_REG(7)(sp)
    sd a4, FRAME_REG(8)(sp)
    sd a5, FRAME_REG(9)(sp)
    sd a6, FRAME_REG(10)(sp)
    sd a7, FRAME_REG(11)(sp)
    sd t0, FRAME_REG(12)(sp)
    sd t1, FRAME_REG(13)(sp)
    sd t2, FRAME_REG(14)(sp)
    sd t3, FRAME_REG(15)(sp)
    save_preserved
    sd t8, FRAME_REG(24)(sp)
    sd t9, FRAME_REG(25)(sp)
    sd gp, FRAME_REG(28)(sp)
    sd ra, FRAME_REG(31)(sp)
    mfhi t0
    mflo t1
    dmfc0 t2, $14
    mfc0 t3, $12
    mfc0 a1, $13
    dmfc0 a2, $8
    sd t0, FRAME_HI(sp)
    sd t1, FRAME_LO(sp)
    sd t2, FRAME_EPC(sp)
    sd t3, FRAME_STATUS(sp)
    sd a1, FRAME_CAUSE(sp)
    sd a2, FRAME_BADVADDR(sp)
    andi t0, t3, STATUS_KERNEL
    .endm

/* All registers but sp; Status in k0 and EPC in k1, the last loads, in one 16 bytes: they stay. */
    .macro restore_all
    ld s0, FRAME_REG(16)(sp)
    ld s1, FRAME_REG(17)(sp)
    ld s2, FRAME_REG(18)(sp)
    ld s3, FRAME_REG(19)(sp)
    ld s4, FRAME_REG(20)(sp)
    ld s5, FRAME_REG(21)(sp)
    ld s6, FRAME_REG(22)(sp)
    ld s7, FRAME_REG(23)(sp)
    ld fp, FRAME_REG(30)(sp)
    ld t0, FRAME_HI(sp)
    ld t1, FRAME_LO(sp)
    mthi t0
    mtlo t1
    ld AT, FRAME_REG(1)(sp)
    ld v0, FRAME_REG(2)(sp)
    ld v1, FRAME_REG(3)(sp)
    ld a0, FRAME_REG(4)(sp)
    ld a1, FRAME_REG(5)(sp)
    ld a2, FRAME_REG(6)(sp)
    ld a3, FRAME_REG(7)(sp)
    ld a4, FRAME_REG(8)(sp)
    ld a5, FRAME_REG(9)(sp)
    ld a6, FRAME_REG(10)(sp)
    ld a7, FRAME_REG(11)(sp)
    ld t0, FRAME_REG(12)(sp)
    ld t1, FRAME_REG(13)(sp)
    ld t2, FRAME_REG(14)(sp)
    ld t3, FRAME_REG(15)(sp)
    ld t8, FRAME_REG(24)(sp)
    ld t9, FRAME_REG(25)(sp)
    ld gp, FRAME_REG(28)(sp)    /* the kernel has no use for it, and switches threads without it */
    ld ra, FRAME_REG(31)(sp)
    ld k1, FRAME_EPC(sp)
    ld k0, FRAME_STATUS(sp)
    .endm
/* clang-format on */
#else

#include <stdbool.h>
#include <stdint.h>

struct interrupt_line;

/* Boot: vectors in place, all interrupts masked. */
void cpu_boot(void);
/* By PRId: an R10000 has no wait instruction. */
bool cpu_is_r10000(void);
/* Boot: the counters of exceptions. */
void trap_boot(void);
/* Interrupts on CPU pin 7 (timer) go to TIMER; on pin 2 to PIN2, for which POLL finds out what it
 * was. */
void cpu_set_lines(struct interrupt_line *timer, struct interrupt_line *pin2, bool (*poll)(void));
/* Serves one of the pins that are PENDING in Cause; interrupts off. */
void cpu_serve_pin(uint32_t pending);
/* Interrupts on CPU pin 4 go to LINE from now on; unmasked by the caller. */
void cpu_set_pin4(struct interrupt_line *line);

/* Where a Status with other mode bits is written; a pc of 0 ends the table. */
struct vector_status {
    uint64_t pc, set; /* Status bits 4-1 are SET afterwards */
};
extern const struct vector_status vector_status_table[];

/* Where frames of the running thread's user mode end; vector.S reads it. */
extern uintptr_t vector_user_stack;

/* From the one to the other calls have an interrupt's frame at sp. */
extern const char general_exception[], vector_interrupts_end[];
#endif
