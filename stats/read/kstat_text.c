/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of statistics, and reading them back: see kstat_text.h. */
#include "stats/read/kstat_text.h"

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/read/kstat_escape.h"

/* Text of which only the first SIZE - 1 characters are kept, but all are counted. */
struct sink {
    char *to;
    size_t size;
    size_t length;
};

static void kstat_text_put(struct sink *sink, char c)
{
    if (sink->length + 1 < sink->size)
        sink->to[sink->length] = c;
    sink->length++;
}

/* The digits of a number, at least as many as WIDTH. */
static void kstat_text_put_number(struct sink *sink, uint64_t value, unsigned width)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0 || count < width);
    while (count > 0)
        kstat_text_put(sink, digits[--count]);
}

static void kstat_text_put_signed(struct sink *sink, int64_t value)
{
    if (value < 0)
        kstat_text_put(sink, '-');
    kstat_text_put_number(sink, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

static void kstat_text_put_escaped(struct sink *sink, const char *text, size_t length, bool colon)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x20 || c == 0x7f || c == '\\' || (c == ':' && colon)) {
            kstat_text_put(sink, '\\');
            kstat_text_put(sink, 'x');
            kstat_text_put(sink, hex[c >> 4]);
            kstat_text_put(sink, hex[c & 15]);
        } else {
            kstat_text_put(sink, (char)c);
        }
    }
}

static void kstat_text_put_value(struct sink *sink, const struct kstat_statistic *statistic)
{
    uint64_t u = statistic->value.u;

    switch (statistic->kind) {
    case KSTAT_VALUE_SIGNED:
        kstat_text_put_signed(sink, statistic->value.i);
        break;
    case KSTAT_VALUE_UNSIGNED:
        kstat_text_put_number(sink, u, 1);
        break;
    case KSTAT_VALUE_TEXT:
        kstat_text_put_escaped(sink, statistic->value.text.at, statistic->value.text.length, false);
        break;
    case KSTAT_VALUE_TIME:
        kstat_text_put_number(sink, u / 1000000000, 1);
        if (u != 0) {
            kstat_text_put(sink, '.');
            kstat_text_put_number(sink, u % 1000000000, 9);
        }
        break;
    }
}

static size_t kstat_text_finish(struct sink *sink)
{
    if (sink->size > 0)
        sink->to[sink->length < sink->size ? sink->length : sink->size - 1] = '\0';
    return sink->length;
}

size_t kstat_text_value(char *to, size_t size, const struct kstat_statistic *statistic)
{
    struct sink sink = {to, size, 0};

    kstat_text_put_value(&sink, statistic);
    return kstat_text_finish(&sink);
}

size_t kstat_text_escape_name(char *to, size_t size, const char *name, size_t length)
{
    struct sink sink = {to, size, 0};

    kstat_text_put_escaped(&sink, name, length, true);
    return kstat_text_finish(&sink);
}

size_t kstat_text_escape_value(char *to, size_t size, const char *value, size_t length)
{
    struct sink sink = {to, size, 0};

    kstat_text_put_escaped(&sink, value, length, false);
    return kstat_text_finish(&sink);
}

static void kstat_text_put_name(struct sink *sink, const char *name, size_t limit)
{
    kstat_text_put_escaped(sink, name, strnlen(name, limit), true);
}

size_t kstat_text_line(char *to, size_t size, const kstat_t *ksp,
                       const struct kstat_statistic *statistic, unsigned flags)
{
    struct sink sink = {to, size, 0};

    if ((flags & KSTAT_LINE_VALUES) == 0) {
        kstat_text_put_name(&sink, ksp->ks_module, KSTAT_STRLEN);
        kstat_text_put(&sink, ':');
        kstat_text_put_signed(&sink, ksp->ks_instance);
        kstat_text_put(&sink, ':');
        kstat_text_put_name(&sink, ksp->ks_name, KSTAT_STRLEN);
        kstat_text_put(&sink, ':');
        kstat_text_put_name(&sink, statistic->name, KSTAT_STATISTIC_NAME);
        if ((flags & KSTAT_LINE_NAMES) == 0)
            kstat_text_put(&sink, (flags & KSTAT_LINE_COLONS) ? ':' : '\t');
    }
    if ((flags & KSTAT_LINE_NAMES) == 0)
        kstat_text_put_value(&sink, statistic);
    return kstat_text_finish(&sink);
}

/* What is left of a line. */
struct source {
    const char *at;
    const char *end;
};

/*
 * Reads up to END or the character STOP, which is passed over, escapes undone. 0, -EINVAL for a
 * wrong escape, -ENOSPC; STOPPED tells whether STOP was met.
 */
static int kstat_text_take(struct source *source, char stop, char *to, size_t size, size_t *length,
                           bool *stopped)
{
    size_t count = 0;

    *stopped = false;
    while (source->at < source->end) {
        char c = *source->at++;

        if (c == stop && stop != '\0') {
            *stopped = true;
            break;
        }
        if (stop != '\0' && (c == ':' || (unsigned char)c < 0x20)) /* in a name it is escaped */
            return -EINVAL;
        if (c == '\\') {
            int high, low;

            if (source->end - source->at < 3 || source->at[0] != 'x')
                return -EINVAL;
            high = kstat_escape_hex(source->at[1]);
            low = kstat_escape_hex(source->at[2]);
            if (high < 0 || low < 0)
                return -EINVAL;
            c = (char)(high << 4 | low);
            source->at += 3;
        }
        if (count + 1 >= size)
            return -ENOSPC;
        to[count++] = c;
    }
    to[count] = '\0';
    *length = count;
    return 0;
}

/* A name of a line, which may not hold a NUL. */
static int kstat_text_take_name(struct source *source, char stop, char *to, size_t size,
                                bool *stopped)
{
    size_t length;
    int error = kstat_text_take(source, stop, to, size, &length, stopped);

    if (error != 0)
        return -EINVAL;
    return strlen(to) == length ? 0 : -EINVAL;
}

static int kstat_text_take_instance(struct source *source, int *instance)
{
    char digits[12];
    const char *first = digits;
    int64_t value = 0;
    bool stopped;

    if (kstat_text_take_name(source, ':', digits, sizeof digits, &stopped) != 0 || !stopped)
        return -EINVAL;
    if (*first == '-')
        first++;
    if (*first == '\0')
        return -EINVAL;
    for (const char *p = first; *p != '\0'; p++) {
        if (*p < '0' || *p > '9')
            return -EINVAL;
        value = value * 10 + (*p - '0');
    }
    if (first != digits)
        value = -value;
    if (value < INT32_MIN || value > INT32_MAX)
        return -EINVAL;
    *instance = (int)value;
    return 0;
}

int kstat_text_parse(const char *text, size_t length, unsigned flags, struct kstat_line *out,
                     char *value, size_t size)
{
    struct source source = {text, text + length};
    char separator = (flags & KSTAT_LINE_COLONS) ? ':' : '\t';
    bool stopped;

    out->value_length = 0;
    if (kstat_text_take_name(&source, ':', out->module, sizeof out->module, &stopped) != 0 ||
        !stopped || kstat_text_take_instance(&source, &out->instance) != 0 ||
        kstat_text_take_name(&source, ':', out->name, sizeof out->name, &stopped) != 0 ||
        !stopped ||
        kstat_text_take_name(&source, separator, out->statistic, sizeof out->statistic,
                             &out->has_value) != 0)
        return -EINVAL;
    if (!out->has_value)
        return 0;
    if (size == 0)
        return -ENOSPC;
    return kstat_text_take(&source, '\0', value, size, &out->value_length, &stopped);
}

/* The parameters of FNV-1a, 32 bits, from its authors' page. */
static uint32_t kstat_text_hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

void kstat_text_shorten(char to[KSTAT_STRLEN], const char *from)
{
    static const char hex[] = "0123456789abcdef";
    size_t length = strlen(from);
    uint32_t hash;

    if (length < KSTAT_STRLEN) {
        kstat_set_string(to, from);
        return;
    }
    hash = kstat_text_hash_of(from, length);
    hash ^= hash >> 16;
    memcpy(to, from, 25);
    to[25] = '~';
    for (unsigned i = 0; i < 4; i++)
        to[26 + i] = hex[hash >> (12 - 4 * i) & 15];
    to[30] = '\0';
}
