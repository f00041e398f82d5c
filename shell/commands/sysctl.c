/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctl: prints, and sets, what kernel/export/sysctl.h knows by name; options as FreeBSD's
 * sysctl(8). */
#include "kernel/export/sysctl.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "lib/calendar.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define NAME_BYTES 128
#define DUMP_BYTES 16
#define RETRIES    10

struct style {
    bool all, bare, hex, binary, equals, describe, opaque, types, names;
    bool write;           /* -w: each operand sets something */
    bool forgive, silent; /* -i: a name that does not exist is no error; -q: and nothing is said */
    const struct shell_gather *lead; /* what the line begins with, or NULL */
};

struct value {
    char *bytes;
    size_t size;
};

static int sysctl_complain(const char *name, int error)
{
    const char *what = "cannot be read";

    if (error == -ENOENT)
        what = "no such name";
    else if (error == -EPERM)
        what = "cannot be written";
    else if (error == -EINVAL)
        what = "bad value";
    else if (error == -ENOMEM)
        what = "no memory";
    else if (error == -ENODEV || error == -ENXIO)
        what = "there is none";
    shell_printf("sysctl: %s: %s\n", name, what);
    return 1;
}

/* Asks for the size first, and again if the value has grown meanwhile. */
static int sysctl_take(const char *name, struct value *value)
{
    int error = -ENOMEM;

    for (unsigned i = 0; error == -ENOMEM && i < RETRIES; i++) {
        error = sysctlbyname(name, NULL, &value->size, NULL, 0);
        if (error != 0)
            return error;
        value->bytes = kmem_alloc(value->size + 1);
        if (value->bytes == NULL)
            return -ENOMEM;
        error = sysctlbyname(name, value->bytes, &value->size, NULL, 0);
        if (error != 0)
            kmem_free(value->bytes);
    }
    return error;
}

static void sysctl_print_hex(struct shell_gather *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        shell_gather_printf(out, "%02x", (unsigned char)bytes[i]);
}

static void sysctl_print_numbers(struct shell_gather *out, const struct sysctl *node,
                                 const struct value *value, bool hex)
{
    size_t width = node->type == SYSCTL_INT ? sizeof(int) : sizeof(long);

    for (size_t at = 0; at + width <= value->size; at += width) {
        const char *blank = at == 0 ? "" : " ";

        if (width == sizeof(int)) {
            int number;

            memcpy(&number, value->bytes + at, width);
            shell_gather_printf(out, hex ? "%s0x%x" : "%s%d", blank, number);
        } else {
            unsigned long number;

            memcpy(&number, value->bytes + at, width);
            shell_gather_printf(out, hex ? "%s0x%lx" : "%s%lu", blank, number);
        }
    }
}

static void sysctl_print_time(struct shell_gather *out, const struct value *value)
{
    struct calendar at;
    uint64_t time[2];

    memcpy(time, value->bytes, sizeof(time));
    calendar_from_seconds(time[0], &at);
    shell_gather_printf(out, "{ sec = %llu, usec = %llu } %s %s %2u %02u:%02u:%02u %llu",
                        (unsigned long long)time[0], (unsigned long long)time[1],
                        calendar_weekday_name(at.weekday), calendar_month_name(at.month), at.day,
                        at.hour, at.minute, at.second, (unsigned long long)at.year);
}

/* Three fractions of 32 bits, and behind them what 1 is. */
static void sysctl_print_load(struct shell_gather *out, const struct value *value)
{
    uint32_t average[3];
    uint64_t scale;

    memcpy(average, value->bytes, sizeof(average));
    memcpy(&scale, (const char *)value->bytes + 16, sizeof(scale));
    shell_gather_printf(out, "{");
    for (int i = 0; i < 3; i++) {
        uint64_t hundredths = (average[i] * UINT64_C(100) + scale / 2) / scale;

        shell_gather_printf(out, " %llu.%02llu", (unsigned long long)hundredths / 100,
                            (unsigned long long)hundredths % 100);
    }
    shell_gather_printf(out, " }");
}

static void sysctl_print_opaque(struct shell_gather *out, const struct sysctl *node,
                                const struct value *value, bool hex)
{
    int rate[4];

    if (!hex && strcmp(node->format, "timeval") == 0) {
        sysctl_print_time(out, value);
    } else if (!hex && strcmp(node->format, "loadavg") == 0) {
        sysctl_print_load(out, value);
    } else if (!hex && strcmp(node->format, "clockinfo") == 0) {
        memcpy(rate, value->bytes, sizeof(rate));
        shell_gather_printf(out, "{ hz = %d, tick = %d, profhz = %d, stathz = %d }", rate[0],
                            rate[1], rate[2], rate[3]);
    } else {
        size_t most = hex || value->size < DUMP_BYTES ? value->size : DUMP_BYTES;

        shell_gather_printf(out, "Format:S,%s Length:%zu Dump:0x", node->format, value->size);
        sysctl_print_hex(out, value->bytes, most);
        shell_gather_printf(out, "%s", most < value->size ? "..." : "");
    }
}

static bool sysctl_is_shown_by_all(const struct sysctl *node)
{
    if (node->unlisted)
        return false;
    return node->type != SYSCTL_OPAQUE || strcmp(node->format, "timeval") == 0 ||
           strcmp(node->format, "clockinfo") == 0 || strcmp(node->format, "loadavg") == 0;
}

static void sysctl_print_value(const struct sysctl *node, const char *name,
                               const struct value *value, const struct style *style)
{
    struct shell_gather out = {.used = 0};

    if (style->binary) {
        shell_write(value->bytes, value->size);
        return;
    }
    if (style->lead != NULL)
        out = *style->lead;
    if (!style->bare)
        shell_gather_printf(&out, "%s%s", name, style->equals ? "=" : ": ");
    if (node->type == SYSCTL_OPAQUE)
        sysctl_print_opaque(&out, node, value, style->hex);
    else if (node->type == SYSCTL_STRING)
        shell_gather_printf(&out, "%.*s", (int)strnlen(value->bytes, value->size), value->bytes);
    else
        sysctl_print_numbers(&out, node, value, style->hex);
    shell_gather_printf(&out, "\n");
    shell_gather_flush(&out);
}

static const char *sysctl_type_of(const struct sysctl *node)
{
    static const char *const types[] = {[SYSCTL_INT] = "integer",
                                        [SYSCTL_LONG] = "unsigned long",
                                        [SYSCTL_STRING] = "string",
                                        [SYSCTL_OPAQUE] = "opaque"};

    return types[node->type];
}

static int sysctl_show(const char *name, const struct style *style)
{
    const struct sysctl *node = sysctl_find(name);
    struct value value;
    int error;

    if (style->names) {
        shell_printf("%s\n", name);
        return 0;
    }
    if (style->describe || style->types) {
        shell_printf("%s%s%s\n", style->bare ? "" : name, style->bare ? "" : ": ",
                     style->describe ? node->summary : sysctl_type_of(node));
        return 0;
    }
    error = sysctl_take(name, &value);
    if (error != 0)
        return sysctl_complain(name, error);
    sysctl_print_value(node, name, &value, style);
    kmem_free(value.bytes);
    return 0;
}

/* Everything below PREFIX, in order; what has no words for its value only by its own name. */
static int sysctl_show_below(const char *prefix, const struct style *style)
{
    const struct sysctl *node = NULL;
    int status = 0;

    while ((node = sysctl_next(prefix, node)) != NULL) {
        if (shell_interrupted())
            return STATUS_INTERRUPTED;
        if (sysctl_is_shown_by_all(node) || style->hex || style->binary || style->describe ||
            style->opaque || style->types || style->names)
            status |= sysctl_show(node->name, style);
    }
    return status;
}

/* NAME=VALUE. Strings and numbers; the old value and the new are shown. */
static int sysctl_set(char *name, char *text, const struct style *style)
{
    const struct sysctl *node = sysctl_find(name);
    struct value before;
    uint64_t number;
    int word, error;

    if (node == NULL)
        return sysctl_complain(name, -ENOENT);
    error = sysctl_take(name, &before);
    if (error != 0)
        return sysctl_complain(name, error);
    if (node->type == SYSCTL_STRING) {
        error = sysctlbyname(name, NULL, NULL, text, strlen(text));
    } else if (node->writable && (node->type == SYSCTL_OPAQUE || parse_u64(text, 0, &number) != 0 ||
                                  (node->type == SYSCTL_INT && number > INT32_MAX))) {
        error = -EINVAL;
    } else if (node->type == SYSCTL_INT) {
        word = (int)number;
        error = sysctlbyname(name, NULL, NULL, &word, sizeof(word));
    } else {
        error = sysctlbyname(name, NULL, NULL, &number, sizeof(number));
    }
    if (error == 0) {
        struct shell_gather lead = {.used = 0};
        struct style rest = *style;

        if (!style->bare)
            shell_gather_printf(&lead, "%s: ", name);
        rest.bare = true;
        rest.lead = &lead;
        if (node->type == SYSCTL_STRING)
            shell_gather_printf(&lead, "%.*s -> ", (int)before.size, before.bytes);
        error = sysctl_show(name, &rest);
    } else {
        error = sysctl_complain(name, error);
    }
    kmem_free(before.bytes);
    return error;
}

static int sysctl_unknown(const char *name, const struct style *style)
{
    if (style->forgive)
        return 0;
    return style->silent ? 1 : sysctl_complain(name, -ENOENT);
}

static int sysctl_operand(const char *text, const struct style *style)
{
    char name[NAME_BYTES];
    char *value;

    if (strlcpy(name, text, sizeof(name)) >= sizeof(name))
        return sysctl_unknown(text, style);
    value = strchr(name, '=');
    if (value != NULL) {
        *value = '\0';
        return sysctl_find(name) == NULL ? sysctl_unknown(name, style)
                                         : sysctl_set(name, value + 1, style);
    }
    if (style->write) {
        shell_printf("sysctl: %s: no value is given\n", name);
        return 1;
    }
    if (sysctl_find(name) != NULL)
        return sysctl_show(name, style);
    return name[0] == '\0' || sysctl_next(name, NULL) == NULL ? sysctl_unknown(name, style)
                                                              : sysctl_show_below(name, style);
}

static void sysctl_set_option(int option, struct style *style)
{
    style->all |= option == 'a' || option == 'A' || option == 'X';
    style->opaque |= option == 'o' || option == 'A';
    style->hex |= option == 'x' || option == 'X';
    style->binary |= option == 'b';
    style->describe |= option == 'd';
    style->equals |= option == 'e';
    style->forgive |= option == 'i';
    style->bare |= option == 'n';
    style->names |= option == 'N';
    style->silent |= option == 'q';
    style->types |= option == 't';
    style->write |= option == 'w';
}

static int sysctl_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "abdeinoqtwxANX"};
    struct style style = {0};
    int option, status = 0;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        sysctl_set_option(option, &style);
    }
    if (style.all == (options.index < argc) || (style.binary && style.hex) ||
        (style.names && style.bare))
        return command_usage(argv[0]);
    if (style.all)
        return sysctl_show_below("", &style);
    for (int i = options.index; i < argc && !shell_interrupted(); i++)
        status |= sysctl_operand(argv[i], &style);
    return shell_interrupted() ? STATUS_INTERRUPTED : status;
}

static void sysctl_complete(struct completion *completion, int argc, char **argv)
{
    const struct sysctl *node = NULL;

    (void)argc;
    (void)argv;
    while ((node = sysctl_next("", node)) != NULL)
        completion_add(completion, node->name);
}

COMMAND(sysctl, .name = "sysctl", .summary = "print or set what the kernel tells by name",
        .usage = "sysctl [-bdeinNoqtwx] NAME[=VALUE]... | sysctl [-bdenNotx] -a | -A | -X",
        .description = "NAME is a name, or the beginning of some (hw). kern.evcnt takes filters:\n"
                       "kern.evcnt.1.1 are the interrupts (1) that have come (1).\n"
                       "  -a  every name, but for values that have no words\n"
                       "  -A  -X  the same with -o, with -x\n"
                       "  -b  values as they are, byte by byte\n"
                       "  -d  what the names mean\n"
                       "  -e  NAME=VALUE instead of NAME: VALUE\n"
                       "  -i  a name that there is not is no error\n"
                       "  -n  values only\n"
                       "  -N  names only\n"
                       "  -o  with -a also the others, as their first bytes\n"
                       "  -q  a name that does not exist is an error, but nothing is printed\n"
                       "  -t  what types the values have\n"
                       "  -w  only set: each NAME has a VALUE\n"
                       "  -x  hexadecimal, and structures in full\n"
                       "\n"
                       "Example: sysctl hw; sysctl -n kern.hostname; sysctl kern.hostname=inka\n",
        .run = sysctl_run, .complete = sysctl_complete);
