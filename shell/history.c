/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history: see history.h. Lines are found by walking back over their NULs, which is fast enough for
 * a human's Up key; there is no index.
 */
#include "shell/history.h"

#include "lib/string.h"

static void history_drop_oldest(struct history *history)
{
    size_t size = strlen(history->bytes) + 1;

    history->used -= size;
    memmove(history->bytes, history->bytes + size, history->used);
}

void history_add(struct history *history, const char *line, size_t length)
{
    const char *newest = history_get(history, 1);

    if (length == 0 || length + 1 > HISTORY_BYTES - HISTORY_BYTES / 4)
        return;
    if (newest != NULL && strlen(newest) == length && memcmp(newest, line, length) == 0)
        return;
    while (HISTORY_BYTES - history->used < length + 1)
        history_drop_oldest(history);
    memcpy(history->bytes + history->used, line, length);
    history->bytes[history->used + length] = '\0';
    history->used += length + 1;
}

const char *history_get(const struct history *history, size_t back)
{
    size_t start = history->used;

    if (back == 0)
        return NULL;
    while (back > 0 && start > 0) {
        start--;
        while (start > 0 && history->bytes[start - 1] != '\0')
            start--;
        back--;
    }
    return back == 0 ? history->bytes + start : NULL;
}
