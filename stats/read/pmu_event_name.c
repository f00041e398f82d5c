/* SPDX-License-Identifier: BSD-2-Clause */
/* Events by name: see pmu_event_name.h. */
#include "stats/read/pmu_event_name.h"

#include <stdbool.h>

#include "lib/errno.h"

/* Part of a command line. */
struct piece {
    const char *text;
    size_t length;
};

/* Names that are known even where nothing counts them, and their role in a report. Each means one
 * thing on every machine; a PMU that counts something less has a name of its own for it. */
static const struct {
    const char *name;
    enum pmu_event_kind kind;
    enum pmc_stat_role role;
} generic[] = {
    {"cycles", PMU_EVENT_COUNTED, PMC_STAT_CYCLES},
    {"instructions", PMU_EVENT_COUNTED, PMC_STAT_INSTRUCTIONS},
    {"ref-cycles", PMU_EVENT_COUNTED, PMC_STAT_OTHER},
    {"cache-references", PMU_EVENT_COUNTED, PMC_STAT_CACHE_REFERENCES},
    {"cache-misses", PMU_EVENT_COUNTED, PMC_STAT_CACHE_MISSES},
    {"branches", PMU_EVENT_COUNTED, PMC_STAT_BRANCHES},
    {"branch-misses", PMU_EVENT_COUNTED, PMC_STAT_BRANCH_MISSES},
    {"context-switches", PMU_EVENT_COUNTED, PMC_STAT_OTHER},
    {"task-clock", PMU_EVENT_CLOCK, PMC_STAT_TASK_CLOCK},
    {"cpu-clock", PMU_EVENT_CLOCK, PMC_STAT_TASK_CLOCK},
    {"cpu-migrations", PMU_EVENT_MIGRATIONS, PMC_STAT_OTHER},
};

/* Classes' own names that have a role. */
static const struct {
    const char *name;
    enum pmc_stat_role role;
} own[] = {
    {"branches-resolved", PMC_STAT_CONDITIONAL},
    {"branches-decoded", PMC_STAT_CONDITIONAL},
};

/* What perf(1), pmc(1) and tprof(8) call them as well. */
static const struct {
    const char *name, *means;
} aliases[] = {
    {"cpu-cycles", "cycles"},
    {"unhalted-cycles", "cycles"},
    {"unhalted-core-cycles", "cycles"},
    {"ins-retired", "instructions"},
    {"instruction-retired", "instructions"},
    {"unhalted-reference-cycles", "ref-cycles"},
    {"llc-reference", "cache-references"},
    {"llc-misses", "cache-misses"},
    {"branch-instructions", "branches"},
    {"branch-retired", "branches"},
    {"branch-instruction-retired", "branches"},
    {"branch-miss-retired", "branch-misses"},
    {"branch-misses-retired", "branch-misses"},
    {"cs", "context-switches"},
    {"migrations", "cpu-migrations"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool pmu_event_name_is_text(struct piece piece, const char *text)
{
    for (size_t i = 0; i < piece.length; i++)
        if (text[i] == '\0' || text[i] != piece.text[i])
            return false;
    return text[piece.length] == '\0';
}

static struct piece pmu_event_name_piece_of(const char *text)
{
    struct piece piece = {text, 0};

    while (text[piece.length] != '\0')
        piece.length++;
    return piece;
}

/* Up to the first of the characters of ENDS; TEXT goes on behind it. */
static struct piece pmu_event_name_take(struct piece *text, const char *ends, char *end)
{
    struct piece piece = {text->text, 0};

    *end = '\0';
    for (; piece.length < text->length; piece.length++) {
        for (const char *e = ends; *e; e++)
            if (piece.text[piece.length] == *e)
                *end = *e;
        if (*end)
            break;
    }
    text->text += piece.length + (*end != '\0');
    text->length -= piece.length + (*end != '\0');
    return piece;
}

static int pmu_event_name_fail(struct pmu_event_error *error, int number, const char *what,
                               struct piece piece)
{
    struct text_row row = {0};

    text_row_text(&row, what);
    text_row_text(&row, " \"");
    text_row_left(&row, piece.text, 0, piece.length);
    text_row_text(&row, "\"");
    error->number = number;
    for (size_t i = 0; i < sizeof error->text; i++)
        error->text[i] = row.text[i];
    error->text[sizeof error->text - 1] = '\0';
    return -1;
}

static bool pmu_event_name_read_number(struct piece piece, uint64_t *out)
{
    unsigned base = 10;
    uint64_t value = 0;
    size_t i = 0;

    if (piece.length > 2 && piece.text[0] == '0' && (piece.text[1] | 32) == 'x') {
        base = 16;
        i = 2;
    }
    if (i == piece.length)
        return false;
    for (; i < piece.length; i++) {
        char c = piece.text[i], letter = (char)(c | 32);
        unsigned digit = 16;

        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            digit = (unsigned)(letter - 'a') + 10;
        if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *out = value;
    return true;
}

static void pmu_event_name_add_choice(struct pmu_event_request *out, const struct pmu_class *class,
                                      int base, const struct pmu_event *event)
{
    if (!event->supported || out->choice_count == PMU_EVENT_CHOICES)
        return;
    if (out->choice_count > 0 && out->class != class)
        return; /* the class that comes first has it */
    out->class = class;
    out->base = base;
    out->choices[out->choice_count++] = event;
}

/* Events of that name, in the first class that can count them. */
static bool pmu_event_name_find_name(struct piece name, struct pmu_event_request *out)
{
    const struct pmu_class *class;
    bool known = false;
    int base;

    for (unsigned c = 0; (class = pmu_class_at(c, &base)) != NULL; c++) {
        for (unsigned e = 0; e < class->event_count; e++) {
            if (pmu_event_name_is_text(name, class->events[e].name)) {
                known = true;
                pmu_event_name_add_choice(out, class, base, &class->events[e]);
            }
        }
    }
    return known;
}

/* CLASS.NUMBER or NUMBER; CLASS.NAME too. A class's numbers may leave out what sets them apart. */
static bool pmu_event_name_find_number(struct piece name, struct pmu_event_request *out)
{
    struct piece rest = name, first;
    const struct pmu_class *class;
    bool known = false;
    uint64_t number;
    char dot;
    int base;

    first = pmu_event_name_take(&rest, ".", &dot);
    for (unsigned c = 0; (class = pmu_class_at(c, &base)) != NULL; c++) {
        struct piece wanted = dot ? rest : name;
        bool is_number = pmu_event_name_read_number(wanted, &number);

        if (dot && !pmu_event_name_is_text(first, class->name))
            continue;
        for (unsigned e = 0; e < class->event_count; e++) {
            const struct pmu_event *event = &class->events[e];

            if ((is_number && (event->code == number ||
                               (dot && class->event_count > 0 && number < 0x10000 &&
                                event->code - number == class->events[0].code >> 16 << 16))) ||
                (dot && pmu_event_name_is_text(wanted, event->name))) {
                known = true;
                pmu_event_name_add_choice(out, class, base, event);
            }
        }
    }
    return known;
}

static void pmu_event_name_set_role(struct pmu_event_request *out, struct piece name)
{
    for (size_t i = 0; i < COUNT(generic); i++) {
        if (pmu_event_name_is_text(name, generic[i].name)) {
            out->kind = generic[i].kind;
            out->role = generic[i].role;
        }
    }
    for (size_t i = 0; i < COUNT(own); i++)
        if (pmu_event_name_is_text(name, own[i].name))
            out->role = own[i].role;
}

static bool pmu_event_name_find(struct piece name, struct pmu_event_request *out)
{
    bool known = false;

    for (size_t i = 0; i < COUNT(aliases); i++)
        if (pmu_event_name_is_text(name, aliases[i].name))
            name = pmu_event_name_piece_of(aliases[i].means);
    for (size_t i = 0; i < COUNT(generic); i++)
        known |= pmu_event_name_is_text(name, generic[i].name);
    known |= pmu_event_name_find_name(name, out);
    if (!known)
        known = pmu_event_name_find_number(name, out);
    pmu_event_name_set_role(out, name);
    if (out->choice_count > 0)
        pmu_event_name_set_role(out, pmu_event_name_piece_of(out->choices[0]->name));
    return known;
}

/* What the class cannot tell apart it cannot leave out either; user and kernel together leave out
 * nothing. */
static void pmu_event_name_restrict_modes(struct pmu_event_request *out, uint32_t modes)
{
    uint32_t can = out->choice_count > 0 ? out->class->modes : 0;

    if (out->choice_count > 0 && can == 0 && (modes & PMC_MODE_U) && (modes & PMC_MODE_K))
        modes = 0;
    out->modes = modes;
    if (modes == 0 || modes == PMC_MODE_ALL || (modes & can) == can)
        out->modes = 0;
    else if (out->choice_count > 0 && (modes & can) != 0)
        out->modes = modes & can;
    if (modes != 0 && modes != PMC_MODE_ALL && (modes & can) == 0) {
        out->modes = modes;
        out->no_such_modes = out->choice_count > 0;
        out->choice_count = 0;
    }
}

/* What threads know of themselves they know in all modes only. */
static void pmu_event_name_leave_uncounted(struct pmu_event_request *out, uint32_t modes)
{
    out->kind = PMU_EVENT_COUNTED;
    out->role = PMC_STAT_OTHER;
    out->modes = modes;
    out->no_such_modes = true;
}

static int pmu_event_name_read_modes(struct piece piece, uint32_t *modes,
                                     struct pmu_event_error *error)
{
    *modes = 0;
    for (size_t i = 0; i < piece.length; i++) {
        switch (piece.text[i]) {
        case 'u':
            *modes |= PMC_MODE_U;
            break;
        case 'k':
            *modes |= PMC_MODE_K | PMC_MODE_EXL;
            break;
        case 's':
            *modes |= PMC_MODE_S;
            break;
        case 'e':
            *modes |= PMC_MODE_EXL;
            break;
        default:
            return pmu_event_name_fail(error, EINVAL, "unknown mode (u, k, s, e) in", piece);
        }
    }
    return 0;
}

/* Only choices that COUNTER can hold are left. */
static int pmu_event_name_restrict_counter(struct pmu_event_request *out, struct piece piece,
                                           struct pmu_event_error *error)
{
    const struct pmu_class *class;
    unsigned left = 0;
    uint64_t number;
    int base, end = 0;

    for (unsigned c = 0; (class = pmu_class_at(c, &base)) != NULL; c++)
        end = base + (int)class->counters;
    if (!pmu_event_name_read_number(piece, &number) || number >= (uint64_t)end)
        return pmu_event_name_fail(error, EINVAL, "no such counter:", piece);
    out->counter = (int)number;
    for (unsigned c = 0; c < out->choice_count; c++) {
        int n = out->counter - out->base;

        if (n >= 0 && n < (int)out->class->counters && (out->choices[c]->counters >> n & 1))
            out->choices[left++] = out->choices[c];
    }
    if (left == 0 && out->choice_count > 0)
        return pmu_event_name_fail(error, ENODEV, "this event cannot be held by counter", piece);
    out->choice_count = left;
    return 0;
}

/* NAME[:MODES][@COUNTER] */
static int pmu_event_name_read_event(struct piece text, struct pmu_event_request *out,
                                     struct pmu_event_error *error)
{
    struct piece rest = text, name, modes_text;
    uint32_t modes = 0;
    char colon, at;

    *out = (struct pmu_event_request){.counter = -1};
    if (text.length >= sizeof out->text)
        return pmu_event_name_fail(error, E2BIG, "too long a name", text);
    for (size_t i = 0; i < text.length; i++)
        out->text[i] = text.text[i];
    modes_text = pmu_event_name_take(&rest, "@", &at);
    name = pmu_event_name_take(&modes_text, ":", &colon);
    if (name.length == 0 || !pmu_event_name_find(name, out))
        return pmu_event_name_fail(error, EINVAL, "unknown event", name);
    if (colon && modes_text.length == 0)
        return pmu_event_name_fail(error, EINVAL, "no mode behind the colon of", name);
    if (colon && pmu_event_name_read_modes(modes_text, &modes, error) != 0)
        return -1;
    if (out->kind == PMU_EVENT_COUNTED)
        pmu_event_name_restrict_modes(out, modes);
    else if (modes != 0 && (modes & (PMC_MODE_U | PMC_MODE_K)) != (PMC_MODE_U | PMC_MODE_K))
        pmu_event_name_leave_uncounted(out, modes);
    return at ? pmu_event_name_restrict_counter(out, rest, error) : 0;
}

int pmu_event_list(const char *text, struct pmu_event_request *out, unsigned max,
                   struct pmu_event_error *error)
{
    struct piece rest = pmu_event_name_piece_of(text), piece;
    unsigned count = 0;
    char end;

    do {
        piece = pmu_event_name_take(&rest, ",", &end);
        if (count == max)
            return pmu_event_name_fail(error, E2BIG, "too many events before", piece);
        if (pmu_event_name_read_event(piece, &out[count], error) != 0)
            return -1;
        count++;
    } while (end);
    return (int)count;
}

int pmu_event_sampled(const char *text, struct pmu_event_request *out,
                      struct pmu_event_error *error)
{
    struct piece rest = pmu_event_name_piece_of(text), piece;
    char end;

    piece = pmu_event_name_take(&rest, ",=", &end);
    if (pmu_event_name_read_event(piece, out, error) != 0)
        return -1;
    if (end && (!pmu_event_name_read_number(rest, &out->period) || out->period == 0))
        return pmu_event_name_fail(error, EINVAL, "bad period", rest);
    return 0;
}

const char *pmu_event_alias(const char *name, unsigned index)
{
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (pmu_event_name_is_text(pmu_event_name_piece_of(aliases[i].means), name) && index-- == 0)
            return aliases[i].name;
    return NULL;
}

const char *pmu_event_source(const struct pmu_event *event)
{
    static const char *const sources[] = {
        [PMU_EXACT] = "exact",
        [PMU_MODELLED] = "modelled",
        [PMU_ALWAYS_ZERO] = "always zero",
    };

    return event->supported ? sources[event->source] : "<not supported>";
}
