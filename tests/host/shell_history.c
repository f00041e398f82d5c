/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of shell/history: order, repetition, and the oldest falling out. */
#include "tests/host/test.h"

#include <stdio.h>
#include <string.h>

/* The code under test. */
#include "shell/history.c"

static void add(struct history *history, const char *line)
{
    history_add(history, line, strlen(line));
}

TEST(history_gives_lines_newest_first)
{
    static struct history history;

    CHECK(history_get(&history, 0) == NULL);
    CHECK(history_get(&history, 1) == NULL);
    add(&history, "one");
    add(&history, "");
    add(&history, "two");
    add(&history, "two");
    add(&history, "one");
    CHECK(strcmp(history_get(&history, 1), "one") == 0);
    CHECK(strcmp(history_get(&history, 2), "two") == 0);
    CHECK(strcmp(history_get(&history, 3), "one") == 0);
    CHECK(history_get(&history, 4) == NULL);
    CHECK(history_get(&history, 0) == NULL);
}

TEST(history_drops_the_oldest)
{
    static struct history history;
    static char big[HISTORY_BYTES];
    char line[32];

    for (int i = 0; i < 5000; i++) {
        snprintf(line, sizeof(line), "line %d", i);
        add(&history, line);
        CHECK(history.used <= HISTORY_BYTES);
        CHECK(strcmp(history_get(&history, 1), line) == 0);
        if (i > 300)
            CHECK(strncmp(history_get(&history, 300), "line ", 5) == 0);
    }
    memset(big, 'b', sizeof(big));
    history_add(&history, big, 4096);
    CHECK(strlen(history_get(&history, 1)) == 4096);
    CHECK(strcmp(history_get(&history, 2), "line 4999") == 0);
    history_add(&history, big, sizeof(big));
    CHECK(strlen(history_get(&history, 1)) == 4096);
}
