/* SPDX-License-Identifier: BSD-2-Clause */
/* The laws that there are, and what is said of them. kernel/thread/law_check.c checks them. */
#include "kernel/base/law.h"
#include "lib/format.h"
#include "lib/string.h"

static uint64_t law_sum(struct evcnt *const *counters)
{
    uint64_t all = 0;

    for (; *counters; counters++)
        all += evcnt_value(*counters);
    return all;
}

uint64_t law_counters_left(void *counters)
{
    return law_sum(((const struct law_counters *)counters)->left);
}

uint64_t law_counters_right(void *counters)
{
    return law_sum(((const struct law_counters *)counters)->right);
}

uint64_t *law_counters_word(void *counters)
{
    return &((const struct law_counters *)counters)->left[0]->ev_count;
}

/* The one that follows NAME, in the order of names; NULL begins. */
static const struct law *law_after(const char *name)
{
    const struct law *const *member, *best = NULL;

    LINKER_SET_FOREACH (member, laws)
        if ((!name || strcmp((*member)->name, name) > 0) &&
            (!best || strcmp((*member)->name, best->name) < 0))
            best = *member;
    return best;
}

const struct law *law_next(const struct law *law)
{
    return law_after(law ? law->name : NULL);
}

const struct law *law_find(const char *name)
{
    const struct law *const *member;

    LINKER_SET_FOREACH (member, laws)
        if (strcmp((*member)->name, name) == 0)
            return *member;
    return NULL;
}

size_t law_describe(const struct law_finding *finding, char *buffer, size_t size)
{
    const struct law *law = finding->law;

    return format(buffer, size, "%s%s%s: %s is %llu, %s is %llu%s", law->name,
                  finding->subject[0] ? " of " : "", finding->subject, law->left,
                  (unsigned long long)finding->left, law->right, (unsigned long long)finding->right,
                  finding->holds                 ? ""
                  : law->relation == LAW_AT_MOST ? ", which is less"
                                                 : "");
}
