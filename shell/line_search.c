/* SPDX-License-Identifier: BSD-2-Clause */
/* line_search: see line_search.h. */
#include "shell/line_search.h"

#include "lib/format.h"
#include "lib/string.h"

static void line_search_set_prompt(struct line_search *search, bool found)
{
    format(search->prompt, sizeof(search->prompt), "(%ssearch)'%s': ", found ? "" : "no ",
           search->text);
}

void line_search_begin(struct line_search *search, const char *prompt)
{
    *search = (struct line_search){.active = true, .prompt_before = prompt};
    line_search_set_prompt(search, true);
}

bool line_search_add(struct line_search *search, char byte)
{
    if (search->length == LINE_SEARCH_BYTES)
        return false;
    search->text[search->length++] = byte;
    search->text[search->length] = '\0';
    return true;
}

bool line_search_remove(struct line_search *search)
{
    if (search->length == 0)
        return false;
    search->text[--search->length] = '\0';
    search->back = 0;
    return true;
}

static bool line_search_contains(const char *line, const char *text, size_t length)
{
    for (; *line != '\0'; line++) {
        if (strncmp(line, text, length) == 0)
            return true;
    }
    return length == 0;
}

const char *line_search_find(struct line_search *search, const struct history *history, bool older)
{
    size_t back = search->back == 0 ? 1 : search->back + older;
    const char *line;

    if (search->length == 0) { /* nothing to be found: what stands there stays */
        line_search_set_prompt(search, true);
        return NULL;
    }
    while ((line = history_get(history, back)) != NULL &&
           !line_search_contains(line, search->text, search->length))
        back++;
    if (line != NULL)
        search->back = back;
    line_search_set_prompt(search, line != NULL);
    return line;
}
