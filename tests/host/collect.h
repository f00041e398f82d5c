/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test has had printed: a text, which grows. Each file that includes this has its own. */
#pragma once

#include <stddef.h>
#include <string.h>

static char text[8192];

/* ARGUMENT: how long the text is so far, a size_t. What has no room is left out. */
static void collect(void *argument, const char *piece, size_t length)
{
    size_t *at = argument;

    if (*at + length < sizeof text) {
        memcpy(text + *at, piece, length);
        *at += length;
        text[*at] = '\0';
    }
}
