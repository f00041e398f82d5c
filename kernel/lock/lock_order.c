/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The graph of lock classes: an edge from A to B where B was taken while A was held, with the
 * places of both. It has no cycle, since the edge that would close one is reported instead of
 * recorded. Compiled in the checked build only.
 */
#include "kernel/lock/lock_order.h"
#include <arch/spinlock.h>
#include <stdarg.h>
#include "kernel/base/log.h"
#include "kernel/base/panic.h"
#include "kernel/base/symbol.h"
#include "lib/format.h"
#include "lib/string.h"

#define WORDS (LOCK_CLASSES / 64)
#define EDGES 1024
#define NONE  UINT16_MAX

struct edge {
    uint16_t from, to, next; /* next: of the same FROM */
    bool rising;             /* FROM is TO: the second lock's address was the higher one */
    uintptr_t from_pc, to_pc;
};

/* Entries are added under the table's lock and never change again. */
static const char *names[LOCK_CLASSES];
static unsigned classes = 1;
static struct edge edges[EDGES];
static unsigned edge_count;
static uint16_t first_edge[LOCK_CLASSES];            /* + 1; 0: none */
static volatile uint64_t after[LOCK_CLASSES][WORDS]; /* the edges, a bit each */

static volatile uint32_t table_word;
static volatile bool ended, full, complained;

void lock_order_enter(void)
{
    while (!spinlock_word_take(&table_word, spinlock_here()))
        spinlock_pause();
}

void lock_order_leave(void)
{
    spinlock_word_free(&table_word);
}

bool lock_order_ended(void)
{
    return ended;
}

void lock_order_end(void)
{
    ended = true;
}

unsigned lock_order_class(const char *name)
{
    for (unsigned i = 1; i < classes; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (classes == LOCK_CLASSES) {
        full = true;
        return 0;
    }
    names[classes] = name;
    return classes++;
}

void lock_order_complain(void)
{
    if (__builtin_expect(!full || complained, 1))
        return;
    complained = true;
    log_printf("lock order: more than %u locks or %u orders; not all are verified",
               LOCK_CLASSES - 1, EDGES);
}

static bool lock_order_has_edge(unsigned from, unsigned to)
{
    return after[from][to / 64] >> to % 64 & 1;
}

/* --- the report --- */

static char report[1536];
static size_t report_length;

static __attribute__((format(printf, 1, 2))) void lock_order_add(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    report_length += vformat(report + report_length, sizeof report - report_length, fmt, arguments);
    va_end(arguments);
    if (report_length >= sizeof report)
        report_length = sizeof report - 1;
}

static void lock_order_add_pc(uintptr_t pc)
{
    uintptr_t offset;
    const char *name = symbol_find(pc, &offset);

    if (name)
        lock_order_add("%s+0x%lx", name, (unsigned long)offset);
    else
        lock_order_add("0x%lx", (unsigned long)pc);
}

static void lock_order_add_edge(const struct edge *edge)
{
    lock_order_add(" \"%s\" taken at ", names[edge->to]);
    lock_order_add_pc(edge->to_pc);
    lock_order_add(" while \"%s\" was held, taken at ", names[edge->from]);
    lock_order_add_pc(edge->from_pc);
}

/* Describes the way that leads from class FROM to class TO; false if there is none. */
static bool lock_order_add_path(unsigned from, unsigned to)
{
    static uint16_t came_by[LOCK_CLASSES], queue[LOCK_CLASSES]; /* by edge, + 1 */
    const struct edge *way[LOCK_CLASSES];
    unsigned head = 0, tail = 0, length = 0;

    memset(came_by, 0, sizeof came_by);
    queue[tail++] = (uint16_t)from;
    while (head < tail && !came_by[to]) {
        for (unsigned e = first_edge[queue[head++]]; e; e = edges[e - 1].next) {
            unsigned next = edges[e - 1].to;

            if (next == from || came_by[next])
                continue;
            came_by[next] = (uint16_t)e;
            queue[tail++] = (uint16_t)next;
        }
    }
    if (!came_by[to])
        return false;
    for (; to != from; to = way[length++]->from)
        way[length] = &edges[came_by[to] - 1];
    while (length) {
        lock_order_add_edge(way[--length]);
        if (length)
            lock_order_add(";");
    }
    return true;
}

static void lock_order_begin_report(const struct lock_hold *held, const struct lock_hold *next)
{
    report_length = 0;
    lock_order_add("lock order: \"%s\" taken at ", next->record->name);
    lock_order_add_pc(next->pc);
    lock_order_add(" while \"%s\" is held, taken at ", held->record->name);
    lock_order_add_pc(held->pc);
    lock_order_add("; the other order was seen:");
}

static _Noreturn void lock_order_report_end(void)
{
    ended = true;
    lock_order_leave();
    panic("%s", report);
}

/* --- recording --- */

static void lock_order_record(const struct lock_hold *held, const struct lock_hold *next)
{
    unsigned from = held->record->class, to = next->record->class;
    struct edge *edge;

    if (edge_count == EDGES) {
        full = true;
    } else {
        edge = &edges[edge_count++];
        *edge = (struct edge){.from = (uint16_t)from,
                              .to = (uint16_t)to,
                              .next = first_edge[from],
                              .rising = (uintptr_t)next->lock > (uintptr_t)held->lock,
                              .from_pc = held->pc,
                              .to_pc = next->pc};
        first_edge[from] = (uint16_t)edge_count;
    }
    after[from][to / 64] |= 1ull << to % 64;
}

/* Two locks of one class. */
static void lock_order_check_pair(const struct lock_hold *held, const struct lock_hold *next)
{
    unsigned class = held->record->class, e = first_edge[class];
    bool rising = (uintptr_t)next->lock > (uintptr_t)held->lock;

    while (e && edges[e - 1].to != class)
        e = edges[e - 1].next;
    if (!e) {
        if (!lock_order_has_edge(class, class))
            lock_order_record(held, next);
    } else if (edges[e - 1].rising != rising) {
        lock_order_begin_report(held, next);
        lock_order_add_edge(&edges[e - 1]);
        lock_order_add(" (two locks of that name, the other way round)");
        lock_order_report_end();
    }
}

void lock_order_check(const struct lock_hold *held, const struct lock_hold *next)
{
    unsigned from = held->record->class, to = next->record->class;

    if (ended || !from || !to || (from != to && lock_order_has_edge(from, to)))
        return;
    lock_order_enter();
    if (from == to) {
        lock_order_check_pair(held, next);
    } else if (!lock_order_has_edge(from, to)) {
        lock_order_begin_report(held, next);
        if (lock_order_add_path(to, from))
            lock_order_report_end();
        lock_order_record(held, next);
    }
    lock_order_leave();
}
