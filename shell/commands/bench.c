/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench: runs what `make bench` measures from outside. The labels in the code are the places
 * between which an observer counts instructions; the command itself measures nothing.
 */
#include <sys/evcnt.h>
#include "kernel/clock.h"
#include "kernel/thread.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/output.h"

#define ROUNDS 200
#define TICKS  50

/* A global label at this place of the code. */
#define PLACE(name) __asm__ volatile(".globl " name "\n" name ":" : : : "memory")

static struct evcnt bench_ev = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "bench", "static");
EVCNT_ATTACH_STATIC(bench_ev);

static __attribute__((noinline, noclone)) void bench_evcnt(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        PLACE("bench_evcnt_begin");
        evcnt_incr(&bench_ev);
        PLACE("bench_evcnt_end");
    }
}

static __attribute__((noinline, noclone)) void bench_dynamic(struct evcnt *ev)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        PLACE("bench_dynamic_begin");
        evcnt_incr(ev);
        PLACE("bench_dynamic_end");
    }
}

static __attribute__((noinline, noclone)) void bench_switch(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++) {
        PLACE("bench_switch_begin");
        thread_yield();
        PLACE("bench_switch_end");
    }
}

static int switch_threads(void)
{
    struct thread *other;

    if (thread_create("bench", THREAD_PRIORITY_NORMAL, bench_switch, NULL, &other) != 0) {
        shell_printf("bench: no memory for a thread\n");
        return 1;
    }
    bench_switch(NULL);
    thread_join(other);
    return 0;
}

static int run(int argc, char **argv)
{
    static struct evcnt dynamic_ev;
    const char *what = argc == 2 ? argv[1] : "";

    if (strcmp(what, "evcnt") == 0) {
        bench_evcnt();
        bench_dynamic(&dynamic_ev);
        return 0;
    }
    if (strcmp(what, "switch") == 0)
        return switch_threads();
    if (strcmp(what, "timer") == 0) {
        uint64_t end = clock_now() + TICKS * CLOCK_TICK_NS;

        while (clock_now() < end && !shell_interrupted())
            ;
        return 0;
    }
    return command_usage(argv[0]);
}

COMMAND(bench, .name = "bench", .summary = "run what `make bench` measures",
        .usage = "bench evcnt | switch | timer",
        .description =
            "For an observer outside the machine, who counts instructions between places in\n"
            "the code; see tools/bench. Prints nothing.\n"
            "  evcnt   raise a static and a dynamic event counter 200 times\n"
            "  switch  200 switches between two threads\n"
            "  timer   keep the CPU busy for 50 ticks\n"
            "\n"
            "Example: bench timer\n",
        .run = run);
