/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's command line, cut into words. */
#include "kernel/base/boot_word.h"
#include "kernel/base/log.h"
#include "lib/string.h"

#define TEXT_MAX 1024
#define WORDS    64

static char text[TEXT_MAX], cut[TEXT_MAX];
static char *words[WORDS];
static unsigned count;

void boot_words_parse(const char *line)
{
    char *p = cut;

    strlcpy(text, line, sizeof text);
    strlcpy(cut, line, sizeof cut);
    count = 0;
    while (*p && count < WORDS) {
        while (*p == ' ' || *p == '\t')
            *p++ = '\0';
        if (*p)
            words[count++] = p;
        while (*p && *p != ' ' && *p != '\t')
            p++;
    }
}

/* The value part of WORD if its name is NAME: "" without "=", else NULL. */
static const char *match(const char *word, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(word, name, length) != 0)
        return NULL;
    if (word[length] == '\0')
        return "";
    return word[length] == '=' ? word + length + 1 : NULL;
}

const char *boot_word_value(const char *name)
{
    for (unsigned i = count; i > 0; i--) { /* the last one wins */
        const char *value = match(words[i - 1], name);

        if (value)
            return value;
    }
    return NULL;
}

unsigned boot_words_check(void)
{
    unsigned unknown = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct boot_word *const *known;
        bool found = false;

        LINKER_SET_FOREACH (known, boot_words)
            found = found || match(words[i], (*known)->name);
        if (!found) {
            log_printf("boot: unknown word \"%s\"; `help boot` lists them", words[i]);
            unknown++;
        }
    }
    return unknown;
}

const char *boot_words_text(void)
{
    return text;
}
