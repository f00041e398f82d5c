/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads beside a crowd that counts: one attaches and detaches a chain of counters, youngest
 * first, so that at every moment a beginning of the chain is attached; the other looks through
 * lists, each of which has to be one that was true at a moment.
 */
#include <sys/evcnt.h>
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"
#include "tests/kernel/evcnt_crowd.h"

#define CHAIN 24

static struct evcnt chain[CHAIN];
static char names[CHAIN][2];
static const struct evcnt *parent_ev, *child_ev; /* the crowd's, attached all the time */
static struct thread *attacher, *lister;
static volatile bool over;
static unsigned lists;
static const char *volatile wrong;

static void attach_on(void *unused)
{
    (void)unused;
    while (!over) {
        for (unsigned i = 0; i < CHAIN; i++) {
            evcnt_attach_dynamic(&chain[i], EVCNT_TYPE_MISC, i > 0 ? &chain[i - 1] : NULL,
                                 "selftest chain", names[i]);
            for (unsigned raised = 0; raised <= i; raised++) /* parents first */
                evcnt_incr(&chain[raised]);
        }
        for (unsigned i = CHAIN; i-- > 0;)
            evcnt_detach(&chain[i]);
        thread_yield();
    }
}

/* What one list says of the crowd's two counters and of the chain. */
struct look {
    unsigned parents, children, links;
    uint64_t parent, child, link;
};

static const char *look_at(struct look *look, const struct evcnt_sysctl *record)
{
    const char *group = evcnt_export_group(record), *name = evcnt_export_name(record);

    if (record->ev_addr == (uintptr_t)parent_ev) {
        look->parents++;
        look->parent = record->ev_count;
    } else if (record->ev_addr == (uintptr_t)child_ev) {
        look->children++;
        look->child = record->ev_count;
        if (look->parents != 1 || record->ev_parent != (uintptr_t)parent_ev)
            return "a child before its parent";
        if (look->child > look->parent)
            return "a child with more than its parent";
    } else if (strcmp(group, "selftest chain") == 0) {
        if (look->links == CHAIN || strcmp(name, names[look->links]) != 0)
            return "a list that never was: the chain has a gap";
        if (look->links > 0 && record->ev_parent != (uintptr_t)&chain[look->links - 1])
            return "a link without its parent";
        if (look->links > 0 && record->ev_count > look->link)
            return "a link with more than its parent";
        look->links++;
        look->link = record->ev_count;
    }
    return NULL;
}

static const char *look_through(const void *buffer, size_t size, struct look *last)
{
    const struct evcnt_sysctl *record = NULL;
    struct look look = {0, 0, 0, 0, 0, 0};
    const char *fault;

    while ((record = evcnt_export_next(buffer, size, record)) != NULL)
        if ((fault = look_at(&look, record)) != NULL)
            return fault;
    if (look.parents != 1 || look.children != 1)
        return "a counter that is not in the list once";
    if (look.parent < last->parent || look.child < last->child)
        return "a list in which a count went back";
    *last = look;
    return NULL;
}

static void evcnt_lists_list_on(void *unused)
{
    struct look last = {0, 0, 0, 0, 0, 0};

    (void)unused;
    while (!over || lists < 10) {
        const char *fault = "no list";
        size_t size, capacity;
        void *buffer;

        if (evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &buffer, &size, &capacity) ==
            0) {
            fault = look_through(buffer, size, &last);
            evcnt_export_free(buffer, capacity);
        }
        lists++;
        if (fault)
            wrong = fault;
    }
}

int evcnt_lists_begin(const struct evcnt *parent, const struct evcnt *child)
{
    parent_ev = parent;
    child_ev = child;
    over = false;
    wrong = NULL;
    lists = 0;
    for (unsigned i = 0; i < CHAIN; i++)
        names[i][0] = (char)('a' + i);
    SELFTEST_EQUAL(thread_create("attacher", THREAD_PRIORITY_NORMAL, attach_on, NULL, &attacher),
                   0);
    if (thread_create("lister", THREAD_PRIORITY_NORMAL, evcnt_lists_list_on, NULL, &lister) != 0) {
        over = true;
        thread_join(attacher);
        return selftest_fail("no thread");
    }
    return 0;
}

int evcnt_lists_end(void)
{
    over = true;
    thread_join(attacher);
    thread_join(lister);
    if (wrong) {
        selftest_fail("%s", wrong);
        return -1;
    }
    return (int)lists;
}
