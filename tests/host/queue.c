/* SPDX-License-Identifier: BSD-2-Clause */
/* The four classic lists against an array that says what they should hold. */
#include <sys/queue.h>

#include "tests/host/test.h"

#include <stddef.h>

struct item {
    char id;
    SLIST_ENTRY(item) s;
    STAILQ_ENTRY(item) q;
    LIST_ENTRY(item) l;
    TAILQ_ENTRY(item) t;
};

static struct item a = {.id = 'a'}, b = {.id = 'b'}, c = {.id = 'c'}, d = {.id = 'd'};

#define COLLECT(text, foreach)                                                                     \
    do {                                                                                           \
        unsigned collected = 0;                                                                    \
        foreach(text)[collected++] = i->id;                                                        \
        (text)[collected] = '\0';                                                                  \
    } while (0)

TEST(queue_slist)
{
    SLIST_HEAD(, item) head = SLIST_HEAD_INITIALIZER(head);
    struct item *i;
    char text[8];

    CHECK(SLIST_EMPTY(&head));
    SLIST_INSERT_HEAD(&head, &c, s);
    SLIST_INSERT_HEAD(&head, &a, s);
    SLIST_INSERT_AFTER(&a, &b, s);
    SLIST_INSERT_AFTER(&c, &d, s);
    COLLECT(text, SLIST_FOREACH(i, &head, s));
    CHECK_TEXT(text, "abcd");
    SLIST_REMOVE(&head, &c, item, s);
    SLIST_REMOVE_HEAD(&head, s);
    COLLECT(text, SLIST_FOREACH(i, &head, s));
    CHECK_TEXT(text, "bd");
    SLIST_REMOVE_AFTER(&b, s);
    SLIST_REMOVE(&head, &b, item, s);
    CHECK(SLIST_FIRST(&head) == NULL);
    SLIST_INIT(&head);
    CHECK(SLIST_EMPTY(&head));
}

TEST(queue_stailq)
{
    STAILQ_HEAD(queue, item) head = STAILQ_HEAD_INITIALIZER(head);
    struct queue other;
    struct item *i;
    struct item *next;
    char text[8];

    STAILQ_INIT(&other);
    CHECK(STAILQ_EMPTY(&head) && STAILQ_LAST(&head, item, q) == NULL);
    STAILQ_INSERT_TAIL(&head, &b, q);
    STAILQ_INSERT_HEAD(&head, &a, q);
    STAILQ_INSERT_TAIL(&other, &d, q);
    STAILQ_INSERT_HEAD(&other, &c, q);
    STAILQ_CONCAT(&head, &other);
    CHECK(STAILQ_EMPTY(&other));
    COLLECT(text, STAILQ_FOREACH (i, &head, q));
    CHECK_TEXT(text, "abcd");
    CHECK(STAILQ_LAST(&head, item, q) == &d);
    STAILQ_REMOVE(&head, &d, item, q);
    STAILQ_INSERT_AFTER(&head, &c, &d, q);
    STAILQ_REMOVE_AFTER(&head, &a, q);
    STAILQ_REMOVE_HEAD(&head, q);
    COLLECT(text, STAILQ_FOREACH (i, &head, q));
    CHECK_TEXT(text, "cd");
    STAILQ_FOREACH_SAFE(i, &head, q, next)
    STAILQ_REMOVE(&head, i, item, q);
    CHECK(STAILQ_EMPTY(&head));
    STAILQ_INSERT_TAIL(&head, &a, q); /* the end was put back */
    CHECK(STAILQ_FIRST(&head) == &a && STAILQ_NEXT(&a, q) == NULL);
}

TEST(queue_list)
{
    LIST_HEAD(, item) head = LIST_HEAD_INITIALIZER(head);
    struct item *i;
    struct item *next;
    char text[8];

    LIST_INSERT_HEAD(&head, &d, l);
    LIST_INSERT_BEFORE(&d, &b, l);
    LIST_INSERT_AFTER(&b, &c, l);
    LIST_INSERT_HEAD(&head, &a, l);
    COLLECT(text, LIST_FOREACH (i, &head, l));
    CHECK_TEXT(text, "abcd");
    LIST_REMOVE(&c, l);
    LIST_REMOVE(&a, l);
    LIST_REPLACE(&b, &c, l);
    COLLECT(text, LIST_FOREACH (i, &head, l));
    CHECK_TEXT(text, "cd");
    LIST_FOREACH_SAFE(i, &head, l, next)
    LIST_REMOVE(i, l);
    CHECK(LIST_EMPTY(&head));
    LIST_INIT(&head);
    CHECK(LIST_FIRST(&head) == NULL);
}

TEST(queue_tailq)
{
    TAILQ_HEAD(tail, item) head = TAILQ_HEAD_INITIALIZER(head);
    struct tail other;
    struct item *i;
    struct item *next;
    char text[8];

    TAILQ_INIT(&other);
    CHECK(TAILQ_EMPTY(&head) && TAILQ_LAST(&head, tail) == NULL);
    TAILQ_INSERT_TAIL(&head, &b, t);
    TAILQ_INSERT_HEAD(&head, &a, t);
    TAILQ_INSERT_TAIL(&other, &d, t);
    TAILQ_INSERT_BEFORE(&d, &c, t);
    TAILQ_CONCAT(&head, &other, t);
    CHECK(TAILQ_EMPTY(&other));
    COLLECT(text, TAILQ_FOREACH (i, &head, t));
    CHECK_TEXT(text, "abcd");
    COLLECT(text, TAILQ_FOREACH_REVERSE(i, &head, tail, t));
    CHECK_TEXT(text, "dcba");
    CHECK(TAILQ_PREV(&b, tail, t) == &a && TAILQ_PREV(&a, tail, t) == NULL);
    TAILQ_REMOVE(&head, &d, t);
    CHECK(TAILQ_LAST(&head, tail) == &c);
    TAILQ_INSERT_AFTER(&head, &c, &d, t);
    TAILQ_REMOVE(&head, &a, t);
    TAILQ_REPLACE(&head, &b, &a, t);
    TAILQ_REMOVE(&head, &c, t);
    TAILQ_REPLACE(&head, &d, &b, t);
    COLLECT(text, TAILQ_FOREACH_REVERSE(i, &head, tail, t));
    CHECK_TEXT(text, "ba");
    TAILQ_FOREACH_REVERSE_SAFE(i, &head, tail, t, next)
    TAILQ_REMOVE(&head, i, t);
    CHECK(TAILQ_EMPTY(&head) && head.tqh_last == &head.tqh_first);
}
