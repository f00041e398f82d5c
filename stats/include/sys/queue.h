/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The four classic families of intrusive lists, under their classic names:
 *
 *   SLIST   singly linked, one pointer in the head: push and pop at the front
 *   STAILQ  singly linked with a pointer to the end: a queue
 *   LIST    doubly linked, one pointer in the head: removal anywhere
 *   TAILQ   doubly linked with a pointer to the end: removal anywhere, order kept, walks both ways
 *
 * An element holds an ENTRY; a head holds the list. `prev` fields hold the address of the pointer
 * that points at this element, so that removal needs neither the head nor a special first case.
 * The macros take no lock and evaluate their arguments more than once.
 *
 * The guard and the field names are those of other systems' <sys/queue.h>, which may stand in for
 * this one.
 */
#ifndef _SYS_QUEUE_H_
#define _SYS_QUEUE_H_

/* ------------------------------------------------------------------------------- SLIST */

#define SLIST_HEAD(name, type)                                                                     \
    struct name {                                                                                  \
        struct type *slh_first;                                                                    \
    }
#define SLIST_HEAD_INITIALIZER(head) {0}
#define SLIST_ENTRY(type)                                                                          \
    struct {                                                                                       \
        struct type *sle_next;                                                                     \
    }

#define SLIST_FIRST(head)      ((head)->slh_first)
#define SLIST_END(head)        ((void *)0)
#define SLIST_EMPTY(head)      (SLIST_FIRST(head) == 0)
#define SLIST_NEXT(elm, field) ((elm)->field.sle_next)
#define SLIST_INIT(head)       ((void)(SLIST_FIRST(head) = 0))
#define SLIST_FOREACH(var, head, field)                                                            \
    for ((var) = SLIST_FIRST(head); (var); (var) = SLIST_NEXT(var, field))
#define SLIST_FOREACH_SAFE(var, head, field, next)                                                 \
    for ((var) = SLIST_FIRST(head); (var) && ((next) = SLIST_NEXT(var, field), 1); (var) = (next))

#define SLIST_INSERT_HEAD(head, elm, field)                                                        \
    do {                                                                                           \
        SLIST_NEXT(elm, field) = SLIST_FIRST(head);                                                \
        SLIST_FIRST(head) = (elm);                                                                 \
    } while (0)
#define SLIST_INSERT_AFTER(prior, elm, field)                                                      \
    do {                                                                                           \
        SLIST_NEXT(elm, field) = SLIST_NEXT(prior, field);                                         \
        SLIST_NEXT(prior, field) = (elm);                                                          \
    } while (0)
#define SLIST_REMOVE_HEAD(head, field)                                                             \
    ((void)(SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), field)))
#define SLIST_REMOVE_AFTER(prior, field)                                                           \
    ((void)(SLIST_NEXT(prior, field) = SLIST_NEXT(SLIST_NEXT(prior, field), field)))
/* Walks from the front: the element must be in the list. */
#define SLIST_REMOVE(head, elm, type, field)                                                       \
    do {                                                                                           \
        struct type **slist_link = &SLIST_FIRST(head);                                             \
        while (*slist_link != (elm))                                                               \
            slist_link = &SLIST_NEXT(*slist_link, field);                                          \
        *slist_link = SLIST_NEXT(elm, field);                                                      \
    } while (0)

/* ------------------------------------------------------------------------------ STAILQ */

#define STAILQ_HEAD(name, type)                                                                    \
    struct name {                                                                                  \
        struct type *stqh_first;                                                                   \
        struct type **stqh_last;                                                                   \
    }
#define STAILQ_HEAD_INITIALIZER(head) {0, &(head).stqh_first}
#define STAILQ_ENTRY(type)                                                                         \
    struct {                                                                                       \
        struct type *stqe_next;                                                                    \
    }

#define STAILQ_FIRST(head)      ((head)->stqh_first)
#define STAILQ_END(head)        ((void *)0)
#define STAILQ_EMPTY(head)      (STAILQ_FIRST(head) == 0)
#define STAILQ_NEXT(elm, field) ((elm)->field.stqe_next)
#define STAILQ_LAST(head, type, field)                                                             \
    (STAILQ_EMPTY(head) ? (struct type *)0                                                         \
                        : (struct type *)(void *)((char *)(head)->stqh_last -                      \
                                                  __builtin_offsetof(struct type, field)))
#define STAILQ_INIT(head)                                                                          \
    do {                                                                                           \
        STAILQ_FIRST(head) = 0;                                                                    \
        (head)->stqh_last = &STAILQ_FIRST(head);                                                   \
    } while (0)
#define STAILQ_FOREACH(var, head, field)                                                           \
    for ((var) = STAILQ_FIRST(head); (var); (var) = STAILQ_NEXT(var, field))
#define STAILQ_FOREACH_SAFE(var, head, field, next)                                                \
    for ((var) = STAILQ_FIRST(head); (var) && ((next) = STAILQ_NEXT(var, field), 1); (var) = (next))

#define STAILQ_INSERT_HEAD(head, elm, field)                                                       \
    do {                                                                                           \
        if ((STAILQ_NEXT(elm, field) = STAILQ_FIRST(head)) == 0)                                   \
            (head)->stqh_last = &STAILQ_NEXT(elm, field);                                          \
        STAILQ_FIRST(head) = (elm);                                                                \
    } while (0)
#define STAILQ_INSERT_TAIL(head, elm, field)                                                       \
    do {                                                                                           \
        STAILQ_NEXT(elm, field) = 0;                                                               \
        *(head)->stqh_last = (elm);                                                                \
        (head)->stqh_last = &STAILQ_NEXT(elm, field);                                              \
    } while (0)
#define STAILQ_INSERT_AFTER(head, prior, elm, field)                                               \
    do {                                                                                           \
        if ((STAILQ_NEXT(elm, field) = STAILQ_NEXT(prior, field)) == 0)                            \
            (head)->stqh_last = &STAILQ_NEXT(elm, field);                                          \
        STAILQ_NEXT(prior, field) = (elm);                                                         \
    } while (0)
#define STAILQ_REMOVE_HEAD(head, field)                                                            \
    do {                                                                                           \
        if ((STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), field)) == 0)                    \
            (head)->stqh_last = &STAILQ_FIRST(head);                                               \
    } while (0)
#define STAILQ_REMOVE_AFTER(head, prior, field)                                                    \
    do {                                                                                           \
        if ((STAILQ_NEXT(prior, field) = STAILQ_NEXT(STAILQ_NEXT(prior, field), field)) == 0)      \
            (head)->stqh_last = &STAILQ_NEXT(prior, field);                                        \
    } while (0)
/* Walks from the front: the element must be in the queue. */
#define STAILQ_REMOVE(head, elm, type, field)                                                      \
    do {                                                                                           \
        struct type **stailq_link = &STAILQ_FIRST(head);                                           \
        while (*stailq_link != (elm))                                                              \
            stailq_link = &STAILQ_NEXT(*stailq_link, field);                                       \
        if ((*stailq_link = STAILQ_NEXT(elm, field)) == 0)                                         \
            (head)->stqh_last = stailq_link;                                                       \
    } while (0)
/* Moves everything in the second queue to the end of the first. */
#define STAILQ_CONCAT(head1, head2)                                                                \
    do {                                                                                           \
        if (!STAILQ_EMPTY(head2)) {                                                                \
            *(head1)->stqh_last = STAILQ_FIRST(head2);                                             \
            (head1)->stqh_last = (head2)->stqh_last;                                               \
            STAILQ_INIT(head2);                                                                    \
        }                                                                                          \
    } while (0)

/* -------------------------------------------------------------------------------- LIST */

#define LIST_HEAD(name, type)                                                                      \
    struct name {                                                                                  \
        struct type *lh_first;                                                                     \
    }
#define LIST_HEAD_INITIALIZER(head) {0}
#define LIST_ENTRY(type)                                                                           \
    struct {                                                                                       \
        struct type *le_next;                                                                      \
        struct type **le_prev;                                                                     \
    }

#define LIST_FIRST(head)      ((head)->lh_first)
#define LIST_END(head)        ((void *)0)
#define LIST_EMPTY(head)      (LIST_FIRST(head) == 0)
#define LIST_NEXT(elm, field) ((elm)->field.le_next)
#define LIST_INIT(head)       ((void)(LIST_FIRST(head) = 0))
#define LIST_FOREACH(var, head, field)                                                             \
    for ((var) = LIST_FIRST(head); (var); (var) = LIST_NEXT(var, field))
#define LIST_FOREACH_SAFE(var, head, field, next)                                                  \
    for ((var) = LIST_FIRST(head); (var) && ((next) = LIST_NEXT(var, field), 1); (var) = (next))

#define LIST_INSERT_HEAD(head, elm, field)                                                         \
    do {                                                                                           \
        if ((LIST_NEXT(elm, field) = LIST_FIRST(head)) != 0)                                       \
            LIST_FIRST(head)->field.le_prev = &LIST_NEXT(elm, field);                              \
        LIST_FIRST(head) = (elm);                                                                  \
        (elm)->field.le_prev = &LIST_FIRST(head);                                                  \
    } while (0)
#define LIST_INSERT_AFTER(prior, elm, field)                                                       \
    do {                                                                                           \
        if ((LIST_NEXT(elm, field) = LIST_NEXT(prior, field)) != 0)                                \
            LIST_NEXT(prior, field)->field.le_prev = &LIST_NEXT(elm, field);                       \
        LIST_NEXT(prior, field) = (elm);                                                           \
        (elm)->field.le_prev = &LIST_NEXT(prior, field);                                           \
    } while (0)
#define LIST_INSERT_BEFORE(later, elm, field)                                                      \
    do {                                                                                           \
        (elm)->field.le_prev = (later)->field.le_prev;                                             \
        LIST_NEXT(elm, field) = (later);                                                           \
        *(later)->field.le_prev = (elm);                                                           \
        (later)->field.le_prev = &LIST_NEXT(elm, field);                                           \
    } while (0)
#define LIST_REMOVE(elm, field)                                                                    \
    do {                                                                                           \
        if (LIST_NEXT(elm, field) != 0)                                                            \
            LIST_NEXT(elm, field)->field.le_prev = (elm)->field.le_prev;                           \
        *(elm)->field.le_prev = LIST_NEXT(elm, field);                                             \
    } while (0)
#define LIST_REPLACE(old, elm, field)                                                              \
    do {                                                                                           \
        if ((LIST_NEXT(elm, field) = LIST_NEXT(old, field)) != 0)                                  \
            LIST_NEXT(elm, field)->field.le_prev = &LIST_NEXT(elm, field);                         \
        (elm)->field.le_prev = (old)->field.le_prev;                                               \
        *(elm)->field.le_prev = (elm);                                                             \
    } while (0)

/* ------------------------------------------------------------------------------- TAILQ */

#define TAILQ_HEAD(name, type)                                                                     \
    struct name {                                                                                  \
        struct type *tqh_first;                                                                    \
        struct type **tqh_last;                                                                    \
    }
#define TAILQ_HEAD_INITIALIZER(head) {0, &(head).tqh_first}
#define TAILQ_ENTRY(type)                                                                          \
    struct {                                                                                       \
        struct type *tqe_next;                                                                     \
        struct type **tqe_prev;                                                                    \
    }

#define TAILQ_FIRST(head)      ((head)->tqh_first)
#define TAILQ_END(head)        ((void *)0)
#define TAILQ_EMPTY(head)      (TAILQ_FIRST(head) == 0)
#define TAILQ_NEXT(elm, field) ((elm)->field.tqe_next)
/*
 * A head and an entry have the same shape: a pointer, then the address of a pointer. So beside the
 * `next` that a `prev` or a `last` points at stands, in head or entry, another `prev`; read as a
 * type that may alias, since which of the two structures it is in is not known.
 */
#define _TAILQ_BESIDE(link)              (**(__typeof__(link) __attribute__((__may_alias__)) *)((link) + 1))
#define TAILQ_LAST(head, headname)       _TAILQ_BESIDE((head)->tqh_last)
#define TAILQ_PREV(elm, headname, field) _TAILQ_BESIDE((elm)->field.tqe_prev)
#define TAILQ_INIT(head)                                                                           \
    do {                                                                                           \
        TAILQ_FIRST(head) = 0;                                                                     \
        (head)->tqh_last = &TAILQ_FIRST(head);                                                     \
    } while (0)
#define TAILQ_FOREACH(var, head, field)                                                            \
    for ((var) = TAILQ_FIRST(head); (var); (var) = TAILQ_NEXT(var, field))
#define TAILQ_FOREACH_SAFE(var, head, field, next)                                                 \
    for ((var) = TAILQ_FIRST(head); (var) && ((next) = TAILQ_NEXT(var, field), 1); (var) = (next))
#define TAILQ_FOREACH_REVERSE(var, head, headname, field)                                          \
    for ((var) = TAILQ_LAST(head, headname); (var); (var) = TAILQ_PREV(var, headname, field))
#define TAILQ_FOREACH_REVERSE_SAFE(var, head, headname, field, prev)                               \
    for ((var) = TAILQ_LAST(head, headname);                                                       \
         (var) && ((prev) = TAILQ_PREV(var, headname, field), 1); (var) = (prev))

#define TAILQ_INSERT_HEAD(head, elm, field)                                                        \
    do {                                                                                           \
        if ((TAILQ_NEXT(elm, field) = TAILQ_FIRST(head)) != 0)                                     \
            TAILQ_FIRST(head)->field.tqe_prev = &TAILQ_NEXT(elm, field);                           \
        else                                                                                       \
            (head)->tqh_last = &TAILQ_NEXT(elm, field);                                            \
        TAILQ_FIRST(head) = (elm);                                                                 \
        (elm)->field.tqe_prev = &TAILQ_FIRST(head);                                                \
    } while (0)
#define TAILQ_INSERT_TAIL(head, elm, field)                                                        \
    do {                                                                                           \
        TAILQ_NEXT(elm, field) = 0;                                                                \
        (elm)->field.tqe_prev = (head)->tqh_last;                                                  \
        *(head)->tqh_last = (elm);                                                                 \
        (head)->tqh_last = &TAILQ_NEXT(elm, field);                                                \
    } while (0)
#define TAILQ_INSERT_AFTER(head, prior, elm, field)                                                \
    do {                                                                                           \
        if ((TAILQ_NEXT(elm, field) = TAILQ_NEXT(prior, field)) != 0)                              \
            TAILQ_NEXT(elm, field)->field.tqe_prev = &TAILQ_NEXT(elm, field);                      \
        else                                                                                       \
            (head)->tqh_last = &TAILQ_NEXT(elm, field);                                            \
        TAILQ_NEXT(prior, field) = (elm);                                                          \
        (elm)->field.tqe_prev = &TAILQ_NEXT(prior, field);                                         \
    } while (0)
#define TAILQ_INSERT_BEFORE(later, elm, field)                                                     \
    do {                                                                                           \
        (elm)->field.tqe_prev = (later)->field.tqe_prev;                                           \
        TAILQ_NEXT(elm, field) = (later);                                                          \
        *(later)->field.tqe_prev = (elm);                                                          \
        (later)->field.tqe_prev = &TAILQ_NEXT(elm, field);                                         \
    } while (0)
#define TAILQ_REMOVE(head, elm, field)                                                             \
    do {                                                                                           \
        if (TAILQ_NEXT(elm, field) != 0)                                                           \
            TAILQ_NEXT(elm, field)->field.tqe_prev = (elm)->field.tqe_prev;                        \
        else                                                                                       \
            (head)->tqh_last = (elm)->field.tqe_prev;                                              \
        *(elm)->field.tqe_prev = TAILQ_NEXT(elm, field);                                           \
    } while (0)
#define TAILQ_REPLACE(head, old, elm, field)                                                       \
    do {                                                                                           \
        if ((TAILQ_NEXT(elm, field) = TAILQ_NEXT(old, field)) != 0)                                \
            TAILQ_NEXT(elm, field)->field.tqe_prev = &TAILQ_NEXT(elm, field);                      \
        else                                                                                       \
            (head)->tqh_last = &TAILQ_NEXT(elm, field);                                            \
        (elm)->field.tqe_prev = (old)->field.tqe_prev;                                             \
        *(elm)->field.tqe_prev = (elm);                                                            \
    } while (0)
/* Moves everything in the second queue to the end of the first. */
#define TAILQ_CONCAT(head1, head2, field)                                                          \
    do {                                                                                           \
        if (!TAILQ_EMPTY(head2)) {                                                                 \
            *(head1)->tqh_last = TAILQ_FIRST(head2);                                               \
            TAILQ_FIRST(head2)->field.tqe_prev = (head1)->tqh_last;                                \
            (head1)->tqh_last = (head2)->tqh_last;                                                 \
            TAILQ_INIT(head2);                                                                     \
        }                                                                                          \
    } while (0)

#endif
