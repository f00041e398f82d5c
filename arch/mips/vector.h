/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's interrupt pins and exception vectors. */
#pragma once

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
