/* SPDX-License-Identifier: BSD-2-Clause */
/* completion: see completion.h. Matching is by bytes and heeds case; nothing is sorted. */
#include "shell/completion.h"

#include "lib/string.h"

void completion_init(struct completion *completion, const char *prefix)
{
    completion->prefix = prefix;
    completion->count = 0;
    completion->longest = 0;
    completion->common_length = 0;
    completion->show = NULL;
    completion->arg = NULL;
}

void completion_add(struct completion *completion, const char *candidate)
{
    size_t prefix = strlen(completion->prefix), length = strlen(candidate), same = 0;

    if (strncmp(candidate, completion->prefix, prefix) != 0 || length >= COMPLETION_BYTES)
        return;
    if (completion->count++ == 0) {
        memcpy(completion->common, candidate, length);
        completion->common_length = length;
    } else {
        while (same < completion->common_length && candidate[same] == completion->common[same])
            same++;
        completion->common_length = same;
    }
    if (length > completion->longest)
        completion->longest = length;
    if (completion->show != NULL)
        completion->show(completion->arg, candidate);
}

void completion_add_list(struct completion *completion, const char *const *candidates)
{
    for (; *candidates != NULL; candidates++)
        completion_add(completion, *candidates);
}
