/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kinds of devices are wanted: "da,scsi" and the like, for devstat_selectdevs. */
#include <devstat.h>

#include "stats/read/devstat_error.h"
#include "stats/port.h"

#define TYPE(word, name) {word, DEVSTAT_TYPE_##name, DEVSTAT_MATCH_TYPE}
#define IF(word, name)   {word, DEVSTAT_TYPE_IF_##name, DEVSTAT_MATCH_IF}

const struct devstat_match_table match_table[] = {
    TYPE("da", DIRECT),
    TYPE("cd", CDROM),
    IF("scsi", SCSI),
    IF("ide", IDE),
    IF("other", OTHER),
    TYPE("worm", WORM),
    TYPE("sa", SEQUENTIAL),
    {"pass", DEVSTAT_TYPE_PASS, DEVSTAT_MATCH_PASS},
    TYPE("optical", OPTICAL),
    TYPE("array", STORARRAY),
    TYPE("changer", CHANGER),
    TYPE("scanner", SCANNER),
    TYPE("printer", PRINTER),
    TYPE("floppy", FLOPPY),
    TYPE("proc", PROCESSOR),
    TYPE("comm", COMM),
    TYPE("enclosure", ENCLOSURE),
    {NULL, DEVSTAT_TYPE_DIRECT, DEVSTAT_MATCH_NONE},
};

static char devstat_match_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the LENGTH characters at TEXT begin WORD. */
static bool devstat_match_begins(const char *word, const char *text, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        if (word[at] == '\0' || devstat_match_lower(text[at]) != word[at])
            return false;
    }
    return length > 0;
}

static const struct devstat_match_table *devstat_match_find_word(const char *text, size_t length)
{
    for (const struct devstat_match_table *at = match_table; at->match_str != NULL; at++) {
        if (devstat_match_begins(at->match_str, text, length))
            return at;
    }
    return NULL;
}

/* Reads one match; false, with a complaint, if it is none. */
static bool devstat_match_parse(const char *text, struct devstat_match *out)
{
    for (;;) {
        const struct devstat_match_table *word;
        size_t length = 0;

        while (text[length] != '\0' && text[length] != ',')
            length++;
        word = devstat_match_find_word(text, length);
        if (word == NULL) {
            devstat_complain("devstat_buildmatch: no such type of device");
            return false;
        }
        if ((out->match_fields & word->match_field) != 0) {
            devstat_complain("devstat_buildmatch: two words of the same category");
            return false;
        }
        out->match_fields |= word->match_field;
        out->device_type |= word->type;
        out->num_match_categories++;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

int devstat_buildmatch(char *match_str, struct devstat_match **matches, int *num_matches)
{
    struct devstat_match match = {.num_match_categories = 0};
    struct devstat_match *grown;

    if (match_str == NULL || *match_str == '\0') {
        devstat_complain("devstat_buildmatch: no type of device given");
        return -1;
    }
    if (!devstat_match_parse(match_str, &match))
        return -1;
    grown = stats_port_alloc(((size_t)*num_matches + 1) * sizeof *grown);
    if (grown == NULL) {
        devstat_complain("devstat_buildmatch: no memory");
        return -1;
    }
    for (int at = 0; at < *num_matches; at++)
        grown[at] = (*matches)[at];
    grown[*num_matches] = match;
    devstat_freematches(*matches, *num_matches);
    *matches = grown;
    ++*num_matches;
    return 0;
}

void devstat_freematches(struct devstat_match *matches, int num_matches)
{
    if (matches != NULL)
        stats_port_free(matches, (size_t)num_matches * sizeof *matches);
}
