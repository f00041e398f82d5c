/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laws: what must hold between counts that are kept in different places, while the system runs.
 *
 * A law is a line of data beside the counters that it is about: what its two sides are called, and
 * how they are read. It is checked for each of its subjects (each line, each CPU, each disk) while
 * everything stands still (kernel/thread/standstill.h): no handler is under way on any CPU, no
 * spinlock is held, and no code that has interrupts off is in the middle. So a law is exact, and
 * what is under way for longer than that (a request in a queue, a frame that waits) stands on one
 * of its sides.
 *
 *     LAW(disk_requests, .name = "disk-requests", .subjects = &disks,
 *         .left = "begun", .right = "ended + abandoned + in the queues",
 *         .get_left = begun, .get_right = accounted, .word = begun_word);
 *
 * The functions read and compare, and nothing else: they run with interrupts off on one CPU while
 * the others wait. They may take spinlocks, all of which are free; they may not sleep or print.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/evcnt.h>
#include "lib/linker_set.h"

#define LAW_SUBJECT 44 /* bytes of a subject's name, with the NUL */

struct law_subjects {
    void *(*next)(void *subject); /* NULL begins and ends */
    void (*name)(const void *subject, char *buffer, size_t size);
};

enum law_relation { LAW_EQUAL, LAW_AT_MOST /* the left side is not more than the right */ };

struct law {
    const char *name;                    /* "line-time": hyphens between words */
    const char *left, *right;            /* what the sides are */
    const struct law_subjects *subjects; /* NULL: there is one, ABOUT */
    void *about;
    uint64_t (*get_left)(void *subject);
    uint64_t (*get_right)(void *subject);
    /* A word of memory that the left side is made of, which one more in is one more of it: for
     * planting a violation. */
    uint64_t *(*word)(void *subject);
    enum law_relation relation;
};

/* LAW(ident, .name = ..., ...): the fields of a struct law. */
#define LAW(ident, ...)                                                                            \
    static const struct law law_##ident = {__VA_ARGS__};                                           \
    LINKER_SET_ADD(laws, law_##ident)

/*
 * LAW_PREPARATION(function): every CPU calls FUNCTION() before laws are checked, interrupts off, to
 * bring into memory what only it can read.
 */
struct law_preparation {
    void (*function)(void);
};
#define LAW_PREPARATION(preparation)                                                               \
    static const struct law_preparation law_preparation_##preparation = {(preparation)};           \
    LINKER_SET_ADD(law_preparations, law_preparation_##preparation)

/* The left and right side of a law between counters: each list ends with NULL. */
struct law_counters {
    struct evcnt *const *left, *const *right;
};
uint64_t law_counters_left(void *counters);
uint64_t law_counters_right(void *counters);
uint64_t *law_counters_word(void *counters);

/*
 * A law between sums of counters: LEFT_LIST is LAW_SUM(&a, &b ...), and what follows RIGHT_TEXT are
 * the counters of the right side.
 */
#define LAW_SUM(...) __VA_ARGS__
#define LAW_OF_COUNTERS(ident, law_name, left_text, left_list, right_text, ...)                    \
    static struct evcnt *const ident##_left[] = {left_list, NULL};                                 \
    static struct evcnt *const ident##_right[] = {__VA_ARGS__, NULL};                              \
    static struct law_counters ident##_counters = {ident##_left, ident##_right};                   \
    LAW(ident, .name = (law_name), .left = (left_text), .right = (right_text),                     \
        .about = &ident##_counters, .get_left = law_counters_left,                                 \
        .get_right = law_counters_right, .word = law_counters_word)

/* What came of one subject of a law. */
struct law_finding {
    const struct law *law;
    uint64_t left, right;
    bool holds;
    char subject[LAW_SUBJECT]; /* "" where there is one */
};

/* "LAW of SUBJECT: LEFT is 3, RIGHT is 2". */
size_t law_describe(const struct law_finding *finding, char *buffer, size_t size);
/* Every law in order of their names; NULL begins and ends. */
const struct law *law_next(const struct law *law);
const struct law *law_find(const char *name);
