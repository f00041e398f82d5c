/* SPDX-License-Identifier: BSD-2-Clause */
/* libpmc: what a thread and its children counted. */
#define _GNU_SOURCE
#include <errno.h>
#include <pmc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loop.h"

/* The counter that can count EVENT, configured; or the end. */
static int configure(const char *event)
{
    for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++)
        if (pmc_configure_counter(ctr, event, 0, 0) == 0)
            return ctr;
    printf("no counter for %s: %s\n", event, strerror(errno));
    exit(1);
}

static uint64_t value(int ctr)
{
    uint64_t count = 0;

    if (pmc_get_counter_value(ctr, &count) != 0)
        printf("value: %s\n", strerror(errno));
    return count;
}

/* What COUNT turns of the loop take. */
static uint64_t measured(int ctr, unsigned long count)
{
    uint64_t before;

    pmc_start_counter(ctr);
    before = value(ctr);
    loop(count);
    before = value(ctr) - before;
    pmc_stop_counter(ctr);
    return before;
}

static void own(unsigned long more)
{
    int ctr = configure("instructions:u");
    uint64_t few, many;

    measured(ctr, 10);
    few = measured(ctr, 10);
    many = measured(ctr, 10 + more);
    printf("%llu\n", (unsigned long long)(many - few));
}

static void *other_thread(void *argument)
{
    *(uint64_t *)argument = value(*(int *)argument);
    return NULL;
}

/* A grandchild's turns arrive here, though the child between has ended first. */
static void inherit(unsigned long more)
{
    int ctr = configure("instructions:u"), ends[2];
    uint64_t sums[2];
    char byte;

    pmc_start_counter(ctr);
    for (int i = 0; i < 2; i++) {
        uint64_t before = 0, after = 0;

        pipe(ends);
        pmc_get_accumulated_counter_value(ctr, &before);
        if (fork() == 0) {
            if (fork() == 0) {
                usleep(50000);
                loop(10 + i * more);
                _exit(0);
            }
            _exit(0);
        }
        close(ends[1]);
        wait(NULL);
        read(ends[0], &byte, 1); /* the end of both */
        close(ends[0]);
        usleep(50000);
        pmc_get_accumulated_counter_value(ctr, &after);
        sums[i] = after - before;
    }
    printf("%llu\n", (unsigned long long)(sums[1] - sums[0]));
}

/* Error numbers by name, as the manual lists them. */
static void errors(void)
{
    const struct pmc_event *list = pmc_get_counter_event_list();
    int count = pmc_get_num_counters(), ctr, type;
    union {
        int ctr;
        uint64_t value;
    } other;
    pthread_t thread;

#define SAY(call) printf("%s\n", (errno = 0, (call) == 0) ? "0" : strerrorname_np(errno))
    SAY(pmc_start_counter(count));
    SAY(pmc_start_counter(0));
    SAY(pmc_configure_counter(0, "nonsense", 0, 0));
    SAY(pmc_configure_counter(count, "instructions", 0, 0));
    SAY(pmc_control(0, PMC_OP_PROFSTART, &(struct pmc_counter_cfg){.reset_value = 1000}));
    SAY(pmc_get_info(0, 99, &type));
    SAY(pmc_get_counter_type(-1, &type));
    ctr = configure("context-switches");
    SAY(pmc_start_counter(ctr));
    SAY(pmc_start_counter(ctr));
    SAY(pmc_stop_counter(ctr));
    SAY(pmc_stop_counter(ctr));
    /* Another thread has counters of its own. */
    other.ctr = ctr;
    pthread_create(&thread, NULL, other_thread, &other);
    pthread_join(thread, NULL);
    pmc_get_counter_type(ctr, &type);
    printf("%s %s %s\n", pmc_get_counter_type_name(type),
           pmc_get_counter_event_name(list[0].val) == list[0].name ? "same" : "another",
           pmc_get_counter_event_name(1u << 31) == NULL && errno == ESRCH ? "none" : "some");
}

int main(int argc, char **argv)
{
    unsigned long more = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (strcmp(argv[1], "loop") == 0)
        own(more);
    else if (strcmp(argv[1], "inherit") == 0)
        inherit(more);
    else
        errors();
    return 0;
}
