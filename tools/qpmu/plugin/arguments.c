/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin's arguments, each checked as far as it can be before the machine is there: whoever
 * mistypes one gets a line that names it, not a run without counters.
 */
#include "tools/qpmu/plugin/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What is wrong with a value: text for a line, NULL if nothing is. */
typedef const char *(*taker)(struct arguments *to, const char *value);

static bool number(const char *text, char end, uint64_t *value, const char **rest)
{
    char *stop;

    errno = 0;
    *value = strtoull(text, &stop, 0);
    if (!isdigit((unsigned char)*text) || *stop != end || errno != 0)
        return false;
    if (rest)
        *rest = stop + 1;
    return true;
}

static const char *take_address(uint64_t *to, const char *value)
{
    return number(value, '\0', to, NULL) ? NULL : "not an address, such as 0x80000000";
}

static const char *take_base(struct arguments *to, const char *value)
{
    return take_address(&to->base, value);
}

static const char *take_vectors(struct arguments *to, const char *value)
{
    return take_address(&to->vectors, value);
}

static const char *take_until(struct arguments *to, const char *value)
{
    return take_address(&to->until, value);
}

/* QEMU makes a socket of this name later. */
static const char *take_irq(struct arguments *to, const char *value)
{
    struct stat there;

    if (!*value)
        return "no socket";
    if (strlen(value) >= sizeof(((struct sockaddr_un *)0)->sun_path))
        return "too long for the path of a UNIX socket (107 bytes)";
    if (stat(value, &there) == 0 && !S_ISSOCK(there.st_mode))
        return "not a UNIX socket";
    to->irq = strdup(value);
    return NULL;
}

static const char *take_revision(struct arguments *to, const char *value)
{
    if (!strcmp(value, "2.6"))
        to->kind = QPMU_R10K_2X;
    else if (!strcmp(value, "3.4"))
        to->kind = QPMU_R10K_3X;
    else
        return "the R10000's revisions are 2.6 and 3.4";
    return NULL;
}

/* The model of the cache knows which sizes there are (memory_open). */
static const char *take_l2(struct arguments *to, const char *value)
{
    uint64_t line;

    if (!number(value, ':', &to->l2_size, &value) || !number(value, '\0', &line, NULL))
        return "not BYTES:LINE, such as 1048576:128";
    to->l2_line = line > 4096 ? 0 : (unsigned)line;
    return NULL;
}

static const char *take_ram(struct arguments *to, const char *value)
{
    if (!*value)
        return "no name";
    to->ram = strdup(value);
    return NULL;
}

/* It is written at the end, when it would be too late to hear that it cannot be. */
static const char *take_total(struct arguments *to, const char *value)
{
    struct stat there;
    int fd;

    if (stat(value, &there) == 0) {
        if (S_ISDIR(there.st_mode))
            return strerror(EISDIR);
        if (access(value, W_OK) != 0)
            return strerror(errno);
    } else {
        fd = open(value, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0)
            return strerror(errno);
        close(fd);
        unlink(value);
    }
    to->total = strdup(value);
    return NULL;
}

static const char *take_halt(struct arguments *to, const char *value)
{
    if (strcmp(value, "wait") != 0)
        return "the only value is wait";
    to->halt_waits = true;
    return NULL;
}

static const char *take_transparent(struct arguments *to, const char *value)
{
    if (!strcmp(value, "on"))
        to->transparent = TRANSPARENT_ON;
    else if (!strcmp(value, "off"))
        to->transparent = TRANSPARENT_OFF;
    else
        return "on or off";
    return NULL;
}

static const char *take_mips(struct arguments *to, const char *value)
{
    to->direct_r10k = !strcmp(value, "r10k");
    return to->direct_r10k || !strcmp(value, "r2") ? NULL : "r10k or r2";
}

static const char *take_pin(struct arguments *to, const char *value)
{
    if (strcmp(value, "4") != 0 && strcmp(value, "7") != 0)
        return "4 (the CBUS UART's) or 7 (the timer's)";
    to->pin = (unsigned)(*value - '0');
    return NULL;
}

static const char *take_public(struct arguments *to, const char *value)
{
    if (strcmp(value, "only") != 0)
        return "the only value is only";
    to->public_only = true;
    return NULL;
}

static const char *take_probe(struct arguments *to, const char *value)
{
    (void)value;
    to->probe = true;
    return NULL;
}

static const struct {
    const char *name;
    taker take;
} known[] = {
    {"irq", take_irq},     {"rev", take_revision},
    {"l2", take_l2},       {"vectors", take_vectors},
    {"ram", take_ram},     {"base", take_base},
    {"total", take_total}, {"until", take_until},
    {"halt", take_halt},   {"transparent", take_transparent},
    {"mips", take_mips},   {"public", take_public},
    {"probe", take_probe}, {"pin", take_pin},
};

static bool take(struct arguments *to, const char *text)
{
    size_t length = strcspn(text, "=");
    const char *wrong;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].name) != length || strncmp(known[i].name, text, length) != 0)
            continue;
        wrong = known[i].take(to, text[length] ? text + length + 1 : "");
        if (wrong)
            fprintf(stderr, "qpmu: %s: %s\n", text, wrong);
        return !wrong;
    }
    fprintf(stderr, "qpmu: %s: no such argument; there are", text);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].take != take_probe && known[i].take != take_public)
            fprintf(stderr, " %s=", known[i].name);
    fputc('\n', stderr);
    return false;
}

bool arguments_take(struct arguments *arguments, int count, char **texts)
{
    for (int i = 0; i < count; i++)
        if (!take(arguments, texts[i]))
            return false;
    if (arguments->until && !arguments->total) {
        fprintf(stderr, "qpmu: until=%#llx: it says how far total= goes, which is not given\n",
                (unsigned long long)arguments->until);
        return false;
    }
    return true;
}
