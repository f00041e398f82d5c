/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the `bench` command share: the labels between which an observer counts
 * instructions, and what is measured elsewhere. */
#ifndef SHELL_BENCH_H
#define SHELL_BENCH_H

#define BENCH_ROUNDS 200

/* A global label at this place of the code; the function is noinline and noclone. */
#define BENCH_PLACE(name) __asm__ volatile(".globl " name "\n" name ":" : : : "memory")

/* They say what is wrong, and return the command's status. */
int bench_switch(void);
int bench_block(void);
int bench_preempt(void);
int bench_kstat(const char *count);
int bench_timers(const char *count);
int bench_threads(const char *count);
/* MEASURE, while so many threads sleep. */
int bench_threads_beside(const char *count, int (*measure)(void));
int bench_idle(const char *seconds);
int bench_pairs(const char *count, const char *where); /* where: "wander" or "pinned" */
int bench_disk(const char *name, const char *bytes);
int bench_taking(const char *count);
int bench_pmc(const char *what, int (*switch_threads)(void));

#endif
