/* SPDX-License-Identifier: BSD-2-Clause */
/* Which line stands behind a vector. */
#pragma once

#include <stdint.h>

#define VECTORS           256
#define VECTOR_I8259      32 /* .. 47 */
#define VECTOR_IOAPIC     48 /* .. 48 + pins */
#define VECTOR_TIMER      224
#define VECTOR_IPI        225 /* + enum smp_ipi, but for the last one: */
#define VECTOR_PMI        228 /* performance counters */
#define VECTOR_STANDSTILL 240 /* alone in its priority class */
#define VECTOR_SPURIOUS   255

struct interrupt_line;

/* What vector.S and the CPU put on the stack at an interrupt. */
struct interrupt_frame {
    uint64_t rbp, vector, rip, cs, rflags, rsp, ss;
};

/* That of the last interrupt into this thread, from stack address FROM upward; NULL: none. */
const struct interrupt_frame *trap_interrupt_frame(const void *from);

extern const char vector_interrupts[], vector_table_end[]; /* vector.S: the ways in of interrupts */
extern const char interrupt_common[];                      /* to which they lead */
extern struct interrupt_line *vector_lines[VECTORS];       /* what vector.S dispatches to */
/* Interrupts of VECTOR go to LINE from now on. */
void vector_set(unsigned vector, struct interrupt_line *line);

/* Boot: descriptors and an empty vector table; then, once counters can be attached, the line for
 * strays. */
void cpu_boot(void);
void cpu_boot_lines(void);
/* Boot: attaches the counters of the exceptions. */
void trap_boot(void);
