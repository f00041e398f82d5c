/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat as Solaris lays it out: see iostat.h. */
#include "stats/read/iostat.h"

#include "lib/fraction.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define NAME_MIN      6u
#define NAME_MAX      24u
#define COLUMNS_MAX   14u

static const char title[] = "extended device statistics";
static const char errors_title[] = "---- errors ---";

/* A column of the long table. Its value is in tenths if it has decimals. */
struct column {
    char heading[8];
    unsigned char width, decimals;
    uint64_t value;
};

static size_t length_of(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    return length;
}

size_t iostat_name_width(const struct iostat_reading *readings, size_t count)
{
    size_t width = NAME_MIN;

    for (size_t at = 0; at < count; at++) {
        size_t length = length_of(readings[at].name);

        if (length > width)
            width = length < NAME_MAX ? length : NAME_MAX;
    }
    return width;
}

/* What came in the time between, a second, or in all; in tenths, of units of UNIT. */
static uint64_t amount(const struct iostat_layout *layout, uint64_t count, uint64_t elapsed,
                       uint64_t unit)
{
    if (layout->totals)
        return fraction_round(count, 10, 1, unit, 1);
    return fraction_round(count, NS_PER_SECOND, 10, elapsed, unit);
}

/* "r/s", or "r/i" for totals; K becomes M. */
static void name_amount(const struct iostat_layout *layout, struct column *column,
                        const char *heading)
{
    unsigned at = 0;

    for (; heading[at] != '\0'; at++)
        column->heading[at] = heading[at] == 'k' && layout->megabytes ? 'M' : heading[at];
    if (layout->totals)
        column->heading[at - 1] = 'i';
    column->heading[at] = '\0';
}

static void set_column(struct column *column, const char *heading, unsigned width,
                       unsigned decimals, uint64_t value)
{
    unsigned at = 0;

    for (; heading[at] != '\0'; at++)
        column->heading[at] = heading[at];
    column->heading[at] = '\0';
    column->width = (unsigned char)width;
    column->decimals = (unsigned char)decimals;
    column->value = value;
}

static unsigned rate_columns(const struct iostat_layout *layout,
                             const struct iostat_reading *before, const struct iostat_reading *now,
                             struct column *columns)
{
    static const char *const amounts[] = {"r/s", "w/s", "kr/s", "kw/s"};
    uint64_t elapsed = now->time > before->time ? now->time - before->time : NS_PER_SECOND;
    uint64_t unit = layout->megabytes ? 1024 * 1024 : 1024;
    uint32_t reads = now->reads - before->reads, writes = now->writes - before->writes;
    uint64_t waited = now->wlentime - before->wlentime, ran = now->rlentime - before->rlentime;
    uint64_t done = (uint64_t)reads + writes;
    unsigned at = 0;

    set_column(&columns[at++], "", 6, 1, amount(layout, reads, elapsed, 1));
    set_column(&columns[at++], "", 6, 1, amount(layout, writes, elapsed, 1));
    set_column(&columns[at++], "", 6, 1, amount(layout, now->nread - before->nread, elapsed, unit));
    set_column(&columns[at++], "", 6, 1,
               amount(layout, now->nwritten - before->nwritten, elapsed, unit));
    for (unsigned i = 0; i < at; i++)
        name_amount(layout, &columns[i], amounts[i]);
    set_column(&columns[at++], "wait", 4, 1, fraction_round(waited, 10, 1, elapsed, 1));
    set_column(&columns[at++], "actv", 4, 1, fraction_round(ran, 10, 1, elapsed, 1));
    if (layout->name_last) {
        set_column(&columns[at++], "wsvc_t", 6, 1, fraction_round(waited, 10, 1, done, NS_PER_MS));
        set_column(&columns[at++], "asvc_t", 6, 1, fraction_round(ran, 10, 1, done, NS_PER_MS));
    } else {
        set_column(&columns[at++], "svc_t", 6, 1,
                   fraction_round(waited + ran, 10, 1, done, NS_PER_MS));
    }
    set_column(&columns[at++], "%w", 3, 0,
               fraction_round(now->wtime - before->wtime, 100, 1, elapsed, 1));
    set_column(&columns[at++], "%b", 3, 0,
               fraction_round(now->rtime - before->rtime, 100, 1, elapsed, 1));
    return at;
}

static unsigned error_columns(const struct iostat_reading *now, struct column *columns)
{
    set_column(&columns[0], "s/w", 3, 0, now->soft);
    set_column(&columns[1], "h/w", 3, 0, now->hard);
    set_column(&columns[2], "trn", 3, 0, now->transport);
    set_column(&columns[3], "tot", 3, 0, (uint64_t)now->soft + now->hard + now->transport);
    return 4;
}

/* Fills in the columns; returns how many there are. */
static unsigned columns_of(const struct iostat_layout *layout, const struct iostat_reading *before,
                           const struct iostat_reading *now, struct column *columns)
{
    unsigned count = layout->extended ? rate_columns(layout, before, now, columns) : 0;

    return layout->errors ? count + error_columns(now, columns + count) : count;
}

static void put_share(struct text_row *row, uint64_t part, uint64_t all)
{
    text_row_blanks(row, 1);
    text_row_fixed(row, fraction_round(part, 100, 1, all, 1), 0, 2);
}

static void iostat_put_tty(struct text_row *row, const struct iostat_layout *layout,
                           const struct iostat_system *system)
{
    uint64_t per = layout->totals ? NS_PER_SECOND : system->elapsed;

    text_row_blanks(row, 1);
    text_row_fixed(row, fraction_round(system->tty_in, NS_PER_SECOND, 1, per, 1), 0, 3);
    text_row_blanks(row, 1);
    text_row_fixed(row, fraction_round(system->tty_out, NS_PER_SECOND, 1, per, 1), 0, 4);
}

static void iostat_put_cpu(struct text_row *row, const struct iostat_system *system)
{
    uint64_t cpu = system->user + system->system + system->wait + system->idle;

    text_row_blanks(row, 2);
    put_share(row, system->user, cpu);
    put_share(row, system->system, cpu);
    put_share(row, system->wait, cpu);
    put_share(row, system->idle, cpu);
}

static void put_name(const struct iostat_layout *layout, struct text_row *row, const char *name)
{
    if (layout->name_last)
        text_row_text(row, name);
    else
        text_row_left(row, name, layout->commas ? 0 : layout->name_width, NAME_MAX);
}

/* A line of either kind: the headings if HEADINGS, else the values. */
static void put_line(const struct iostat_layout *layout, const struct column *columns,
                     unsigned count, const char *name, bool headings,
                     const struct iostat_system *system, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    if (!layout->name_last)
        put_name(layout, &row, name);
    for (unsigned at = 0; at < count; at++) {
        size_t width = layout->commas ? 0 : columns[at].width;

        if (!layout->commas)
            text_row_blanks(&row, 1);
        else if (at > 0 || !layout->name_last)
            text_row_text(&row, ",");
        if (headings)
            text_row_right(&row, columns[at].heading, width, sizeof columns[at].heading);
        else
            text_row_fixed(&row, columns[at].value, columns[at].decimals, width);
    }
    text_row_text(&row, layout->commas ? (layout->name_last ? "," : "") : " ");
    if (layout->name_last)
        put_name(layout, &row, name);
    if (layout->tty && headings)
        text_row_text(&row, " tin tout");
    if (layout->tty && system != NULL)
        iostat_put_tty(&row, layout, system);
    if (layout->cpu && headings)
        text_row_text(&row, "   us sy dt id");
    if (layout->cpu && system != NULL)
        iostat_put_cpu(&row, system);
    text_row_end(&row, put, arg);
}

void iostat_print_heading(const struct iostat_layout *layout, text_put *put, void *arg)
{
    static const struct iostat_reading nothing;
    struct column columns[COLUMNS_MAX];
    unsigned count = columns_of(layout, &nothing, &nothing, columns);
    struct text_row row = {.used = 0};
    size_t width = layout->name_last ? 0 : layout->name_width + 1, space, before;

    for (unsigned at = 0; layout->extended && at < count; at++)
        width += columns[at].width + 1u;
    width -= layout->extended && layout->errors ? 4 * 4 : 0;
    space = layout->extended ? width - (sizeof title - 1) : width;
    before = layout->name_last ? 20 : space / 2; /* over the numbers, where the name comes last */
    if (!layout->extended)
        before = 0;
    if (layout->commas)
        space = before = 0;
    text_row_blanks(&row, before);
    if (layout->extended)
        text_row_text(&row, title);
    text_row_blanks(&row, space - before);
    if (layout->errors) {
        text_row_text(&row, layout->commas ? " " : "");
        text_row_text(&row, errors_title);
        text_row_text(&row, " ");
    }
    if (layout->tty)
        text_row_text(&row, "   tty   ");
    if (layout->cpu)
        text_row_text(&row, "      cpu    ");
    text_row_end(&row, put, arg);
    put_line(layout, columns, count, "device", true, NULL, put, arg);
}

/* All columns below 0.1: a percentage counts by its exact value. */
static bool is_idle(const struct iostat_layout *layout, const struct column *columns,
                    unsigned count, const struct iostat_reading *before,
                    const struct iostat_reading *now)
{
    uint64_t elapsed = now->time > before->time ? now->time - before->time : NS_PER_SECOND;

    for (unsigned at = 0; at < count; at++) {
        if (columns[at].decimals > 0 && columns[at].value > 0)
            return false;
    }
    if (layout->errors && (now->soft != 0 || now->hard != 0 || now->transport != 0))
        return false;
    return fraction_round(now->wtime - before->wtime, 1000, 1, elapsed, 1) == 0 &&
           fraction_round(now->rtime - before->rtime, 1000, 1, elapsed, 1) == 0;
}

bool iostat_print_row(const struct iostat_layout *layout, const struct iostat_reading *before,
                      const struct iostat_reading *now, const struct iostat_system *system,
                      text_put *put, void *arg)
{
    struct column columns[COLUMNS_MAX];
    unsigned count = columns_of(layout, before, now, columns);

    if (layout->skip_zero && is_idle(layout, columns, count, before, now))
        return false;
    put_line(layout, columns, count, now->name, false, system, put, arg);
    return true;
}

void iostat_print_short_heading(const struct iostat_layout *layout,
                                const struct iostat_reading *readings, size_t count, text_put *put,
                                void *arg)
{
    bool disks = layout->disks || layout->usage;
    struct text_row row = {.used = 0};

    text_row_text(&row, layout->tty ? "   tty   " : "");
    for (size_t at = 0; disks && at < count; at++) {
        text_row_right(&row, readings[at].name, 10, 8);
        text_row_blanks(&row, 4);
    }
    text_row_text(&row, layout->cpu ? "      cpu    " : "");
    text_row_end(&row, put, arg);
    text_row_text(&row, layout->tty ? " tin tout" : "");
    for (size_t at = 0; disks && at < count; at++)
        text_row_text(&row, layout->usage    ? layout->totals ? "  rpi wpi util" : "  rps wps util"
                            : layout->totals ? "  kpi tpi serv"
                                             : "  kps tps serv");
    text_row_text(&row, layout->cpu ? "   us sy dt id" : "");
    text_row_end(&row, put, arg);
}

/* Kilobytes and transfers a second, and how long one took; or reads and writes a second, and how
 * much of the time the disk was busy. */
static void put_disk(struct text_row *row, const struct iostat_layout *layout,
                     const struct iostat_reading *a, const struct iostat_reading *b)
{
    uint64_t elapsed = b->time > a->time ? b->time - a->time : NS_PER_SECOND;
    uint64_t per = layout->totals ? NS_PER_SECOND : elapsed;
    uint64_t bytes = b->nread - a->nread + (b->nwritten - a->nwritten);
    uint32_t reads = b->reads - a->reads, writes = b->writes - a->writes;
    uint64_t spent = b->wlentime - a->wlentime + (b->rlentime - a->rlentime);
    uint64_t done = (uint64_t)reads + writes;
    uint64_t first = fraction_round(layout->usage ? reads : bytes, NS_PER_SECOND, 1, per,
                                    layout->usage ? 1 : 1024);
    uint64_t second = fraction_round(layout->usage ? writes : done, NS_PER_SECOND, 1, per, 1);

    text_row_blanks(row, 1);
    text_row_fixed(row, first, 0, 4);
    text_row_blanks(row, 1);
    text_row_fixed(row, second, 0, 3);
    text_row_blanks(row, 1);
    if (layout->usage)
        text_row_fixed(row, fraction_round(b->rtime - a->rtime, 1000, 1, elapsed, 1), 1, 4);
    else
        text_row_fixed(row, fraction_round(spent, 1, 1, done, NS_PER_MS), 0, 4);
}

void iostat_print_short_row(const struct iostat_layout *layout, const struct iostat_system *system,
                            const struct iostat_reading *before, const struct iostat_reading *now,
                            size_t count, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    if (layout->tty)
        iostat_put_tty(&row, layout, system);
    for (size_t at = 0; (layout->disks || layout->usage) && at < count; at++)
        put_disk(&row, layout, &before[at], &now[at]);
    if (layout->cpu)
        iostat_put_cpu(&row, system);
    text_row_end(&row, put, arg);
}
