/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's command line, cut into words. */
#include "kernel/base/boot_word.h"
#include "kernel/base/log.h"
#include "kernel/base/panic.h"
#include "lib/number.h"
#include "lib/section.h"
#include "lib/string.h"

#define WORDS 256

static SHARED_BSS char text[BOOT_WORDS_TEXT];
static SHARED_BSS char *words[WORDS];
static unsigned count;
static bool too_long, too_many, kept_back;

void boot_words_parse(const char *line, bool cut)
{
    char *p = text;

    kept_back = cut;
    too_long = strlcpy(text, line, sizeof text) >= sizeof text;
    count = 0;
    while (*p) {
        while (*p == ' ' || *p == '\t')
            *p++ = '\0';
        if (!*p)
            break;
        if (count == WORDS) {
            too_many = true;
            break;
        }
        words[count++] = p;
        while (*p && *p != ' ' && *p != '\t')
            p++;
    }
}

void boot_words_require_end(void)
{
    if (kept_back)
        panic("boot: the loader has kept back the end of the command line: it is too long");
    if (too_long)
        panic("boot: the command line has more than %u characters", BOOT_WORDS_TEXT - 1);
    if (too_many)
        panic("boot: the command line has more than %u words", WORDS);
}

/* The value part of WORD if its name is NAME: "" without "=", else NULL. */
static const char *boot_word_match(const char *word, const char *name)
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
        const char *value = boot_word_match(words[i - 1], name);

        if (value)
            return value;
    }
    return NULL;
}

static size_t boot_word_piece_length(const char *at)
{
    const char *comma = strchr(at, ',');

    return comma ? (size_t)(comma - at) : strlen(at);
}

/* Whether VALUE begins with what FORM begins with, up to a comma; both are moved behind it. */
static bool boot_word_match_piece(const char **form, const char **value)
{
    size_t wanted = boot_word_piece_length(*form), length = boot_word_piece_length(*value);
    char number[32];
    uint64_t parsed;
    bool good;

    if (**form >= 'A' && **form <= 'Z') {
        bool hex = strncmp(*value, "0x", 2) == 0;

        strlcpy(number, *value, length + 1 < sizeof number ? length + 1 : sizeof number);
        good = parse_u64(hex ? number + 2 : number, hex ? 16 : 10, &parsed) == 0;
    } else
        good = wanted == length && strncmp(*form, *value, length) == 0;
    *form += wanted;
    *value += length;
    return good;
}

static bool boot_word_value_is_good(const char *form, const char *value)
{
    while (boot_word_match_piece(&form, &value) && *form == *value) {
        if (!*form)
            return true;
        form++;
        value++;
    }
    return false;
}

/* Of the word at I, which KNOWN tells about. Returns whether its value was a bad one. */
static bool boot_word_complain_of_value(unsigned i, const struct boot_word *known)
{
    const char *equals = strchr(words[i], '=');

    if (!*known->values ? !equals : equals && boot_word_value_is_good(known->values, equals + 1))
        return false;
    log_printf("boot: bad value in \"%s\": it is %s%s%s", words[i], known->name,
               *known->values ? "=" : "", known->values);
    return true;
}

unsigned boot_words_check(void)
{
    unsigned unknown = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct boot_word *const *known;
        bool found = false;

        LINKER_SET_FOREACH (known, boot_words)
            if (!found && boot_word_match(words[i], (*known)->name)) {
                found = true;
                unknown += boot_word_complain_of_value(i, *known);
            }
        if (!found) {
            log_printf("boot: unknown word \"%s\"; `help boot` lists them", words[i]);
            unknown++;
        }
    }
    return unknown;
}
