/* SPDX-License-Identifier: BSD-2-Clause */
/* sort: lines in the order of their bytes, of numbers, or of fields; qsort does the work. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define USAGE    "sort [-nrufbsc] [-t C] [-k FROM[.C][nrfb][,TO[.C]]] ... [-o FILE] [FILE ...]"
#define KEYS_MAX 16

struct order {
    bool numeric, reverse, fold, blanks;
};

struct key {
    unsigned long from, from_char, to, to_char; /* from 1 on; to 0: the line's end */
    bool own;                                   /* has an order of its own */
    struct order order;
};

struct sorted {
    char *text;
    size_t length, place;
};

static struct {
    struct order order;
    bool unique, stable, check;
    int separator; /* -1: blanks */
    struct key keys[KEYS_MAX];
    unsigned key_count;
    struct sorted *lines;
    size_t count, room;
} sort = {.separator = -1};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Where field NUMBER (from 1 on) begins; the line's end if it has none. */
static const char *field_start(const struct sorted *line, unsigned long number)
{
    const char *p = line->text, *end = p + line->length;

    for (; number > 1 && p < end; number--) {
        if (sort.separator >= 0) {
            while (p < end && *p != sort.separator)
                p++;
            p += p < end;
        } else {
            while (p < end && is_blank(*p))
                p++;
            while (p < end && !is_blank(*p))
                p++;
        }
    }
    return p;
}

static const char *field_end(const struct sorted *line, unsigned long number)
{
    const char *p = field_start(line, number), *end = line->text + line->length;

    if (sort.separator >= 0) {
        while (p < end && *p != sort.separator)
            p++;
        return p;
    }
    while (p < end && is_blank(*p))
        p++;
    while (p < end && !is_blank(*p))
        p++;
    return p;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static void key_part(const struct sorted *line, const struct key *key, const char **from,
                     const char **to)
{
    const char *end = line->text + line->length;

    *from = field_start(line, key->from);
    if (key->order.blanks)
        *from = skip_blanks(*from, end);
    *from +=
        (size_t)(end - *from) < key->from_char - 1 ? (size_t)(end - *from) : key->from_char - 1;
    *to = end;
    if (key->to > 0 && key->to_char == 0) {
        *to = field_end(line, key->to);
    } else if (key->to > 0) {
        const char *start = field_start(line, key->to);

        if (key->order.blanks)
            start = skip_blanks(start, end);
        *to = (size_t)(end - start) < key->to_char ? end : start + key->to_char;
    }
    if (*to < *from)
        *to = *from;
}

/* Digits from the point on, or before it. */
static size_t digits(const char *p, const char *end)
{
    const char *start = p;

    while (p < end && isdigit((unsigned char)*p))
        p++;
    return (size_t)(p - start);
}

/* Of two numbers without a sign, digit by digit: however long they are. */
static int compare_sizes(const char *a, const char *a_end, const char *b, const char *b_end)
{
    size_t a_count, b_count;
    int result;

    while (a < a_end && *a == '0')
        a++;
    while (b < b_end && *b == '0')
        b++;
    a_count = digits(a, a_end);
    b_count = digits(b, b_end);
    if (a_count != b_count)
        return a_count < b_count ? -1 : 1;
    result = memcmp(a, b, a_count);
    if (result != 0)
        return result;
    a += a_count;
    b += b_count;
    a += a < a_end && *a == '.' ? 1 : a_end - a;
    b += b < b_end && *b == '.' ? 1 : b_end - b;
    for (;; a += a < a_end, b += b < b_end) {
        char x = a < a_end && isdigit((unsigned char)*a) ? *a : 0;
        char y = b < b_end && isdigit((unsigned char)*b) ? *b : 0;

        if (x == 0)
            a = a_end;
        if (y == 0)
            b = b_end;
        if ((x ? x : '0') != (y ? y : '0'))
            return (x ? x : '0') - (y ? y : '0');
        if (x == 0 && y == 0)
            return 0;
    }
}

/* Whether a number there is below 0, and not -0. */
static bool is_negative(const char **p, const char *end)
{
    bool negative = *p < end && **p == '-', point = false;

    *p += negative;
    if (!negative)
        return false;
    for (const char *q = *p; q < end && (isdigit((unsigned char)*q) || (*q == '.' && !point));
         q++) {
        point |= *q == '.';
        if (*q >= '1' && *q <= '9')
            return true;
    }
    return false;
}

static int compare_numbers(const char *a, const char *a_end, const char *b, const char *b_end)
{
    bool a_negative, b_negative;

    a = skip_blanks(a, a_end);
    b = skip_blanks(b, b_end);
    a_negative = is_negative(&a, a_end);
    b_negative = is_negative(&b, b_end);
    if (a_negative != b_negative)
        return a_negative ? -1 : 1;
    return a_negative ? compare_sizes(b, b_end, a, a_end) : compare_sizes(a, a_end, b, b_end);
}

static int compare_text(const char *a, const char *a_end, const char *b, const char *b_end,
                        bool fold)
{
    for (; a < a_end && b < b_end; a++, b++) {
        int x = fold ? toupper((unsigned char)*a) : (unsigned char)*a;
        int y = fold ? toupper((unsigned char)*b) : (unsigned char)*b;

        if (x != y)
            return x - y;
    }
    return (a < a_end) - (b < b_end);
}

static int compare_key(const struct sorted *a, const struct sorted *b, const struct key *key)
{
    const char *a_from, *a_to, *b_from, *b_to;
    int result;

    key_part(a, key, &a_from, &a_to);
    key_part(b, key, &b_from, &b_to);
    result = key->order.numeric ? compare_numbers(a_from, a_to, b_from, b_to)
                                : compare_text(a_from, a_to, b_from, b_to, key->order.fold);
    return key->order.reverse ? -result : result;
}

static int compare_keys(const struct sorted *a, const struct sorted *b)
{
    int result = 0;

    for (unsigned i = 0; i < sort.key_count && result == 0; i++)
        result = compare_key(a, b, &sort.keys[i]);
    return result;
}

/* Lines whose keys are equal are in the order of their bytes, or of their places. */
static int compare_lines(const void *one, const void *other)
{
    const struct sorted *a = one, *b = other;
    int result = compare_keys(a, b);

    if (result == 0 && !sort.stable && !sort.unique) {
        result = compare_text(a->text, a->text + a->length, b->text, b->text + b->length, false);
        if (sort.order.reverse)
            result = -result;
    }
    return result != 0 ? result : a->place < b->place ? -1 : 1;
}

static int sort_read(FILE *file, const char *name, void *argument)
{
    struct line line = {0};

    (void)name;
    (void)argument;
    for (; line_read(&line, file); line = (struct line){0}) {
        if (sort.count == sort.room) {
            sort.room = sort.room * 2 + 1024;
            sort.lines = realloc(sort.lines, sort.room * sizeof *sort.lines);
        }
        if (!sort.lines) {
            tool_complain("memory");
            exit(STATUS_TROUBLE);
        }
        sort.lines[sort.count] = (struct sorted){line.text, line.length, sort.count};
        sort.count++;
    }
    free(line.text);
    return 0;
}

static int sort_check(void)
{
    for (size_t i = 1; i < sort.count; i++) {
        int order = sort.unique ? compare_keys(&sort.lines[i - 1], &sort.lines[i])
                                : compare_lines(&sort.lines[i - 1], &sort.lines[i]);

        if (order > 0 || (order == 0 && sort.unique)) {
            fprintf(stderr, "sort: line %zu is out of order: %s\n", i + 1, sort.lines[i].text);
            return 1;
        }
    }
    return 0;
}

static int sort_print(const char *name)
{
    if (name && !freopen(name, "w", stdout)) {
        tool_complain(name);
        return STATUS_TROUBLE;
    }
    for (size_t i = 0; i < sort.count; i++) {
        if (sort.unique && i > 0 && compare_keys(&sort.lines[i - 1], &sort.lines[i]) == 0)
            continue;
        fwrite(sort.lines[i].text, 1, sort.lines[i].length, stdout);
        putchar('\n');
    }
    return tool_finish(0, STATUS_TROUBLE);
}

static bool add_order(struct order *order, char letter)
{
    bool *field = letter == 'n'   ? &order->numeric
                  : letter == 'r' ? &order->reverse
                  : letter == 'f' ? &order->fold
                  : letter == 'b' ? &order->blanks
                                  : NULL;

    if (field)
        *field = true;
    return field != NULL;
}

/* "FIELD[.CHARACTER][LETTERS]"; NULL: it is none. */
static char *read_position(char *text, struct key *key, unsigned long *field, unsigned long *c)
{
    *field = strtoul(text, &text, 10);
    if (*text == '.')
        *c = strtoul(text + 1, &text, 10);
    while (*text && *text != ',') {
        if (!add_order(&key->order, *text++))
            return NULL;
        key->own = true;
    }
    return *field > 0 ? text : NULL;
}

static bool add_key(char *text)
{
    struct key *key = &sort.keys[sort.key_count];

    if (sort.key_count == KEYS_MAX)
        return false;
    sort.key_count++;
    key->from_char = 1;
    text = read_position(text, key, &key->from, &key->from_char);
    if (text && *text == ',')
        text = read_position(text + 1, key, &key->to, &key->to_char);
    return text && *text == '\0' && key->from_char > 0;
}

static bool sort_option(int option)
{
    switch (option) {
    case 'u':
        sort.unique = true;
        return true;
    case 's':
        sort.stable = true;
        return true;
    case 'c':
        sort.check = true;
        return true;
    case 't':
        sort.separator = (unsigned char)*optarg;
        return optarg[0] && !optarg[1];
    case 'k':
        return add_key(optarg);
    default:
        return add_order(&sort.order, (char)option);
    }
}

int sort_main(int argc, char **argv)
{
    const char *out = NULL;
    int option, status;

    while ((option = getopt(argc, argv, "nrufbsct:k:o:")) != -1) {
        if (option == 'o')
            out = optarg;
        else if (!sort_option(option))
            return tool_usage(USAGE);
    }
    if (sort.key_count == 0)
        sort.keys[sort.key_count++] = (struct key){.from = 1, .from_char = 1};
    for (unsigned i = 0; i < sort.key_count; i++)
        if (!sort.keys[i].own)
            sort.keys[i].order = sort.order;
    status = tool_each_file(argc - optind, argv + optind, STATUS_TROUBLE, sort_read, NULL);
    if (status != 0)
        return status;
    if (sort.check)
        return sort_check();
    qsort(sort.lines, sort.count, sizeof *sort.lines, compare_lines);
    return sort_print(out);
}
