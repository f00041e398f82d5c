/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion: what the words matching a prefix have in common. Candidates are offered one by one
 * and not stored, so there is no limit on their number; to list them they are offered again with a
 * show function set. Who the candidates are is decided by the shell and by each command.
 */
#ifndef SHELL_COMPLETION_H
#define SHELL_COMPLETION_H

#include <stddef.h>

#define COMPLETION_BYTES 256

struct completion {
    const char *prefix; /* what has been typed of the word */
    size_t count;       /* candidates that start with it */
    size_t longest;     /* length of the longest of them */
    char common[COMPLETION_BYTES];
    size_t common_length; /* of what all of them start with; at least the prefix's when count > 0 */
    void (*show)(void *arg, const char *candidate); /* called for each match when not NULL */
    void *arg;
};

/* No candidates yet, nothing to show. The prefix must stay valid. */
void completion_init(struct completion *completion, const char *prefix);

/* Offer a candidate; those that do not start with the prefix are passed over. */
void completion_add(struct completion *completion, const char *candidate);

/* Offer several: a NULL-terminated list. */
void completion_add_list(struct completion *completion, const char *const *candidates);

#endif
