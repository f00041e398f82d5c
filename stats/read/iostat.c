/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat as Solaris lays it out: see iostat.h. */
#include "stats/read/iostat.h"

#include "lib/fraction.h"
#include "lib/string.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define NAME_MIN      6u
#define NAME_MAX      24u
#define COLUMNS_MAX   14u
#define ERROR_COLUMNS 4u
#define ERRORS_WIDTH  (ERROR_COLUMNS * 4)

static const char title[] = "extended device statistics";
static const char errors_title[] = "---- errors --- ";
static const char name_heading[] = "device";

/* A column of the long table. Its value is in tenths if it has decimals. */
struct column {
    char heading[8];
    unsigned char width, decimals;
    uint64_t value;
};

size_t iostat_name_width(const struct iostat_reading *readings, size_t count)
{
    size_t width = NAME_MIN;

    for (size_t at = 0; at < count; at++) {
        size_t length = strlen(readings[at].name);

        if (length > width)
            width = length < NAME_MAX ? length : NAME_MAX;
    }
    return width;
}

/* What came in the time between, a second, or in all; in tenths, of units of UNIT. */
static uint64_t iostat_amount(const struct iostat_layout *layout, uint64_t count, uint64_t elapsed,
                              uint64_t unit)
{
    if (layout->totals)
        return fraction_round(count, 10, 1, unit, 1);
    return fraction_round(count, NS_PER_SECOND, 10, elapsed, unit);
}

/* "r/s", or "r/i" for totals; K becomes M. */
static void iostat_name_amount(const struct iostat_layout *layout, struct column *column,
                               const char *heading)
{
    unsigned at = 0;

    for (; heading[at] != '\0'; at++)
        column->heading[at] = heading[at] == 'k' && layout->megabytes ? 'M' : heading[at];
    if (layout->totals)
        column->heading[at - 1] = 'i';
    column->heading[at] = '\0';
}

static void iostat_set_column(struct column *column, const char *heading, unsigned width,
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

static unsigned iostat_rate_columns(const struct iostat_layout *layout,
                                    const struct iostat_reading *before,
                                    const struct iostat_reading *now, struct column *columns)
{
    static const char *const amounts[] = {"r/s", "w/s", "kr/s", "kw/s"};
    uint64_t elapsed = now->time > before->time ? now->time - before->time : NS_PER_SECOND;
    uint64_t unit = layout->megabytes ? 1024 * 1024 : 1024;
    uint32_t reads = now->reads - before->reads, writes = now->writes - before->writes;
    uint64_t waited = now->wlentime - before->wlentime, ran = now->rlentime - before->rlentime;
    uint64_t done = (uint64_t)reads + writes;
    unsigned at = 0;

    iostat_set_column(&columns[at++], "", 6, 1, iostat_amount(layout, reads, elapsed, 1));
    iostat_set_column(&columns[at++], "", 6, 1, iostat_amount(layout, writes, elapsed, 1));
    iostat_set_column(&columns[at++], "", 6, 1,
                      iostat_amount(layout, now->nread - before->nread, elapsed, unit));
    iostat_set_column(&columns[at++], "", 6, 1,
                      iostat_amount(layout, now->nwritten - before->nwritten, elapsed, unit));
    for (unsigned i = 0; i < at; i++)
        iostat_name_amount(layout, &columns[i], amounts[i]);
    iostat_set_column(&columns[at++], "wait", 4, 1, fraction_round(waited, 10, 1, elapsed, 1));
    iostat_set_column(&columns[at++], "actv", 4, 1, fraction_round(ran, 10, 1, elapsed, 1));
    if (layout->name_last) {
        iostat_set_column(&columns[at++], "wsvc_t", 6, 1,
                          fraction_round(waited, 10, 1, done, NS_PER_MS));
        iostat_set_column(&columns[at++], "asvc_t", 6, 1,
                          fraction_round(ran, 10, 1, done, NS_PER_MS));
    } else {
        iostat_set_column(&columns[at++], "svc_t", 6, 1,
                          fraction_round(waited + ran, 10, 1, done, NS_PER_MS));
    }
    iostat_set_column(&columns[at++], "%w", 3, 0,
                      fraction_round(now->wtime - before->wtime, 100, 1, elapsed, 1));
    iostat_set_column(&columns[at++], "%b", 3, 0,
                      fraction_round(now->rtime - before->rtime, 100, 1, elapsed, 1));
    return at;
}

static unsigned iostat_error_columns(const struct iostat_reading *now, struct column *columns)
{
    iostat_set_column(&columns[0], "s/w", 3, 0, now->soft);
    iostat_set_column(&columns[1], "h/w", 3, 0, now->hard);
    iostat_set_column(&columns[2], "trn", 3, 0, now->transport);
    iostat_set_column(&columns[3], "tot", 3, 0, (uint64_t)now->soft + now->hard + now->transport);
    return ERROR_COLUMNS;
}

/* Fills in the columns; returns how many there are. */
static unsigned iostat_columns_of(const struct iostat_layout *layout,
                                  const struct iostat_reading *before,
                                  const struct iostat_reading *now, struct column *columns)
{
    unsigned count = layout->extended ? iostat_rate_columns(layout, before, now, columns) : 0;

    return layout->errors ? count + iostat_error_columns(now, columns + count) : count;
}

/* In columns before the next piece, or with -r after a comma unless it is the line's first. */
static void iostat_next_piece(struct text_row *row, const struct iostat_layout *layout,
                              size_t blanks)
{
    if (!layout->commas)
        text_row_blanks(row, blanks);
    else if (row->used > 0)
        text_row_text(row, ",");
}

void iostat_put_text(struct text_row *row, const struct iostat_layout *layout, const char *columns,
                     const char *commas)
{
    iostat_next_piece(row, layout, 0);
    text_row_text(row, layout->commas ? commas : columns);
}

void iostat_put_value(struct text_row *row, const struct iostat_layout *layout, uint64_t value,
                      unsigned decimals, size_t width)
{
    iostat_next_piece(row, layout, 1);
    text_row_fixed(row, value, decimals, layout->commas ? 0 : width);
}

void iostat_put_system_heading(struct text_row *row, const struct iostat_layout *layout,
                               bool second)
{
    if (layout->tty)
        iostat_put_text(row, layout, second ? " tin tout " : "   tty    ",
                        second ? "tin,tout" : "tty");
    if (layout->cpu)
        iostat_put_text(row, layout, second ? " us sy dt id" : "     cpu",
                        second ? "us,sy,dt,id" : "cpu");
}

void iostat_put_tty(struct text_row *row, const struct iostat_layout *layout,
                    const struct iostat_system *system)
{
    uint64_t per = layout->totals ? NS_PER_SECOND : system->elapsed;

    iostat_put_value(row, layout, fraction_round(system->tty_in, NS_PER_SECOND, 1, per, 1), 0, 3);
    iostat_put_value(row, layout, fraction_round(system->tty_out, NS_PER_SECOND, 1, per, 1), 0, 4);
    text_row_blanks(row, layout->commas ? 0 : 1);
}

void iostat_put_cpu(struct text_row *row, const struct iostat_layout *layout,
                    const struct iostat_system *system)
{
    const uint64_t parts[] = {system->user, system->system, system->wait, system->idle};
    uint64_t cpu = system->user + system->system + system->wait + system->idle;

    for (unsigned at = 0; at < sizeof parts / sizeof parts[0]; at++)
        iostat_put_value(row, layout, fraction_round(parts[at], 100, 1, cpu, 1), 0, 2);
}

void iostat_print_system(const struct iostat_layout *layout, const struct iostat_system *system,
                         text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    for (int line = 0; line < 2; line++) {
        iostat_put_system_heading(&row, layout, line == 1);
        text_row_end(&row, put, arg);
    }
    if (layout->tty)
        iostat_put_tty(&row, layout, system);
    if (layout->cpu)
        iostat_put_cpu(&row, layout, system);
    text_row_end(&row, put, arg);
}

static void iostat_put_name(const struct iostat_layout *layout, struct text_row *row,
                            const char *name)
{
    iostat_next_piece(row, layout, 0);
    if (layout->name_last)
        text_row_text(row, name);
    else
        text_row_left(row, name, layout->commas ? 0 : layout->name_width, NAME_MAX);
}

/* Rates stand behind a blank each, numbers of errors before one. */
static void iostat_put_columns(const struct iostat_layout *layout, const struct column *columns,
                               unsigned count, bool headings, struct text_row *row)
{
    unsigned rates = layout->errors ? count - ERROR_COLUMNS : count;

    for (unsigned at = 0; at < count; at++) {
        size_t width = layout->commas ? 0 : columns[at].width;

        iostat_next_piece(row, layout, at < rates ? 1 : at > rates ? 0 : layout->extended ? 0 : 2);
        if (headings)
            text_row_right(row, columns[at].heading, width, sizeof columns[at].heading);
        else
            text_row_fixed(row, columns[at].value, columns[at].decimals, width);
        if (!layout->commas && at + 1 >= rates)
            text_row_blanks(row, at + 1 > rates || rates > 0);
    }
}

/* A line of either kind: the headings if HEADINGS, else the values. */
static void iostat_put_line(const struct iostat_layout *layout, const struct column *columns,
                            unsigned count, const char *name, bool headings,
                            const struct iostat_system *system, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    if (!layout->name_last)
        iostat_put_name(layout, &row, name);
    iostat_put_columns(layout, columns, count, headings, &row);
    if (layout->name_last)
        iostat_put_name(layout, &row, name);
    else if (headings)
        iostat_put_system_heading(&row, layout, true);
    if (!layout->name_last && layout->tty && system != NULL)
        iostat_put_tty(&row, layout, system);
    if (!layout->name_last && layout->cpu && system != NULL)
        iostat_put_cpu(&row, layout, system);
    text_row_end(&row, put, arg);
}

/* The title stands in the middle of the line of headings as it is with the errors and with the
 * name; what it has behind it makes room for both again. */
static void iostat_put_title(const struct iostat_layout *layout, const struct column *columns,
                             unsigned count, struct text_row *row)
{
    size_t width = layout->name_last ? sizeof name_heading - 1 : layout->name_width;
    size_t length = sizeof title - 1, before;

    for (unsigned at = 0; at < count; at++)
        width += columns[at].width + 1u;
    width++;
    before = (width - length) / 2;
    width -= before + length;
    width -= layout->errors ? ERRORS_WIDTH : 0;
    width -= layout->name_last ? sizeof name_heading : 0;
    text_row_blanks(row, layout->commas ? 0 : before);
    text_row_text(row, title);
    text_row_blanks(row, layout->commas ? 0 : width);
}

void iostat_print_heading(const struct iostat_layout *layout, text_put *put, void *arg)
{
    static const struct iostat_reading nothing;
    struct column columns[COLUMNS_MAX];
    unsigned count = iostat_columns_of(layout, &nothing, &nothing, columns);
    struct text_row row = {.used = 0};

    if (layout->extended)
        iostat_put_title(layout, columns, count, &row);
    if (layout->errors && !layout->commas)
        text_row_blanks(&row, !layout->extended ? (layout->name_last ? 2 : 11) : layout->name_last);
    if (layout->errors)
        iostat_put_text(&row, layout, errors_title, "errors");
    if (!layout->name_last)
        iostat_put_system_heading(&row, layout, false);
    text_row_end(&row, put, arg);
    iostat_put_line(layout, columns, count, name_heading, true, NULL, put, arg);
}

/* All columns below 0.1: a percentage counts by its exact value. */
static bool iostat_is_idle(const struct iostat_layout *layout, const struct column *columns,
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
    unsigned count = iostat_columns_of(layout, before, now, columns);

    if (layout->skip_zero && iostat_is_idle(layout, columns, count, before, now))
        return false;
    iostat_put_line(layout, columns, count, now->name, false, system, put, arg);
    return true;
}
