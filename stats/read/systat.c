/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen of `systat vmstat`: see systat.h. */
#include "stats/read/systat.h"

#include "stats/read/devstat_compute.h"
#include "lib/fraction.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define GRAPH_WIDTH   50 /* a mark for every 2 percent */
#define RIGHT         58 /* where the interrupts' column begins */
#define UNUSED        4  /* lines in which there is no interrupt: two above, two below */
#define WIDTH         (RIGHT + 6 + (unsigned)sizeof(((struct systat_interrupt *)0)->name))

struct screen {
    char cell[SYSTAT_LINES][WIDTH];
};

static void systat_put_at(struct screen *screen, unsigned line, unsigned column, const char *text)
{
    for (; *text != '\0' && line < SYSTAT_LINES && column < WIDTH; column++)
        screen->cell[line][column] = *text++;
}

/* True if VALUE and its suffix fit into the WIDTH characters before OUT's end. */
static bool systat_fits(char *out, uint64_t value, char suffix, unsigned width)
{
    unsigned at = width;

    for (unsigned i = 0; i < width; i++)
        out[i] = ' ';
    if (suffix != '\0')
        out[--at] = suffix;
    do {
        if (at == 0)
            return false;
        out[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return true;
}

void systat_number(char *out, uint64_t value, unsigned width)
{
    out[width] = '\0';
    if (value == 0) {
        for (unsigned i = 0; i < width; i++)
            out[i] = ' ';
        return;
    }
    if (systat_fits(out, value, '\0', width) || systat_fits(out, value / 1000, 'k', width) ||
        systat_fits(out, value / 1000000, 'M', width))
        return;
    for (unsigned i = 0; i < width; i++)
        out[i] = '*';
}

static void systat_put_number(struct screen *screen, unsigned line, unsigned column, uint64_t value,
                              unsigned width)
{
    char text[24];

    systat_number(text, value, width);
    systat_put_at(screen, line, column, text);
}

/* Right-justified with decimals; blank if 0. VALUE in units of 10^-decimals. */
static void systat_put_fixed(struct screen *screen, unsigned line, unsigned column, uint64_t value,
                             unsigned decimals, unsigned width)
{
    struct text_row row = {.used = 0};

    if (value == 0)
        return;
    text_row_fixed(&row, value, decimals, width);
    if (row.used <= width)
        systat_put_at(screen, line, column, row.text);
    else
        systat_put_number(screen, line, column, value / fraction_power(decimals), width);
}

static uint64_t systat_rate(const struct systat_record *record, uint64_t count)
{
    return fraction_round(count, NS_PER_SECOND, 1, record->system.elapsed_ns, 1);
}

static void systat_put_time(struct screen *screen, const struct systat_record *record)
{
    uint64_t seconds = record->uptime_ns / NS_PER_SECOND;
    struct text_row row = {.used = 0};

    text_row_number(&row, record->cpus, 4);
    text_row_text(&row, record->cpus == 1 ? " CPU     up " : " CPUs    up ");
    text_row_number(&row, seconds / 86400, 0);
    text_row_text(&row, seconds / 3600 % 24 < 10 ? "+0" : "+");
    text_row_number(&row, seconds / 3600 % 24, 0);
    text_row_text(&row, seconds / 60 % 60 < 10 ? ":0" : ":");
    text_row_number(&row, seconds / 60 % 60, 0);
    text_row_text(&row, seconds % 60 < 10 ? ":0" : ":");
    text_row_number(&row, seconds % 60, 0);
    systat_put_at(screen, 0, 0, row.text);
}

/* A heading over a number of five places for each. */
static void systat_put_pairs(struct screen *screen, unsigned line, const char *const *names,
                             const uint64_t *values, unsigned count)
{
    for (unsigned at = 0; at < count; at++) {
        struct text_row row = {.used = 0};

        text_row_right(&row, names[at], 6, 6);
        systat_put_at(screen, line, 6 + at * 7, row.text);
        systat_put_number(screen, line + 1, 6 + at * 7, values[at], 6);
    }
}

static void systat_put_events(struct screen *screen, const struct systat_record *record)
{
    static const char *const threads[] = {"run", "ready", "sleep"};
    static const char *const events[] = {"Csw", "Trp", "Int", "Sof", "Xcal", "Mtx", "Tin"};
    uint64_t thread_values[] = {record->threads_running, record->threads_ready,
                                record->threads_sleeping};
    uint64_t event_values[] = {systat_rate(record, record->switches),
                               systat_rate(record, record->traps),
                               systat_rate(record, record->interrupts_total),
                               systat_rate(record, record->soft_interrupts),
                               systat_rate(record, record->cross_calls),
                               systat_rate(record, record->mutex_waits),
                               systat_rate(record, record->tty_in)};

    systat_put_at(screen, 3, 0, "Thr:");
    systat_put_pairs(screen, 2, threads, thread_values, 3);
    systat_put_at(screen, 6, 0, "Ev/s:");
    systat_put_pairs(screen, 5, events, event_values, 7);
}

static void systat_put_memory(struct screen *screen, const struct systat_record *record)
{
    static const char *const names[] = {"total", "used", "free"};
    uint64_t values[] = {record->memory_total / 1024,
                         (record->memory_total - record->memory_free) / 1024,
                         record->memory_free / 1024};

    systat_put_at(screen, 9, 0, "KB:");
    systat_put_pairs(screen, 8, names, values, 3);
}

/* The shares in the order of the graph, and one mark for every 2 percent. */
static void systat_put_cpu(struct screen *screen, const struct systat_record *record)
{
    static const char *const names[] = {"%Sys", "%Intr", "%User", "%Nice", "%Idle"};
    static const unsigned char states[] = {2, 3, 0, 1, 4};
    static const char marks[] = "=+>-";
    struct text_row row = {.used = 0};
    uint64_t all = 0, done = 0, marked = 0;

    for (unsigned at = 0; at < CPUSTATES; at++)
        all += record->system.cpu_ns[at];
    for (unsigned at = 0; at < CPUSTATES; at++) {
        uint64_t part = record->system.cpu_ns[states[at]];
        uint64_t end;

        text_row_fixed(&row, fraction_round(part, 1000, 1, all, 1), 1, at == 0 ? 4 : 5);
        text_row_text(&row, names[at]);
        done += part;
        end = fraction_round(done, GRAPH_WIDTH, 1, all, 1);
        for (; at < CPUSTATES - 1 && marked < end; marked++)
            screen->cell[13][marked] = marks[at];
    }
    systat_put_at(screen, 11, 0, row.text);
    for (unsigned at = 0; at <= GRAPH_WIDTH; at += 5)
        screen->cell[12][at] = '|';
}

static void systat_put_disks(struct screen *screen, const struct systat_record *record)
{
    static const char *const names[] = {"Disks", "KB/t", "tps", "MB/s", "%busy"};

    for (unsigned at = 0; at < 5; at++)
        systat_put_at(screen, 15 + at, 0, names[at]);
    for (unsigned at = 0; at < record->disk_count && at < SYSTAT_DISKS_MAX; at++) {
        const struct iostat_bsd_device *disk = &record->disks[at];
        uint64_t ns = disk->elapsed_ns;
        char name[IOSTAT_BSD_NAME_MAX];
        struct text_row row = {.used = 0};
        unsigned column = 6 + at * 7;

        iostat_bsd_name(name, disk->current);
        text_row_right(&row, name, 6, 6);
        systat_put_at(screen, 15, column, row.text);
        systat_put_fixed(
            screen, 16, column,
            devstat_metric_scaled(disk->current, disk->previous, ns, DSM_KB_PER_TRANSFER, 2), 2, 6);
        systat_put_number(
            screen, 17, column,
            devstat_metric_scaled(disk->current, disk->previous, ns, DSM_TRANSFERS_PER_SECOND, 0),
            6);
        systat_put_fixed(
            screen, 18, column,
            devstat_metric_scaled(disk->current, disk->previous, ns, DSM_MB_PER_SECOND, 2), 2, 6);
        systat_put_number(screen, 19, column,
                          devstat_metric_scaled(disk->current, disk->previous, ns, DSM_BUSY_PCT, 0),
                          6);
    }
}

static void systat_put_interrupt(struct screen *screen, unsigned line,
                                 const struct systat_record *record, unsigned at)
{
    systat_put_number(screen, line, RIGHT, systat_rate(record, record->interrupts[at].count), 5);
    systat_put_at(screen, line, RIGHT + 6, record->interrupts[at].name);
}

static void systat_put_interrupts(struct screen *screen, const struct systat_record *record,
                                  unsigned most)
{
    systat_put_at(screen, 0, RIGHT + 1, "Interrupts");
    systat_put_number(screen, 1, RIGHT, systat_rate(record, record->interrupts_total), 5);
    systat_put_at(screen, 1, RIGHT + 6, "total");
    for (unsigned at = 0; at < record->interrupt_count && at < most && at < SYSTAT_LINES - 2; at++)
        systat_put_interrupt(screen, 2 + at, record, at);
}

static void systat_clear(struct screen *screen)
{
    for (unsigned line = 0; line < SYSTAT_LINES; line++) {
        for (unsigned column = 0; column < WIDTH; column++)
            screen->cell[line][column] = ' ';
    }
}

/* At most LENGTH characters of a line. */
static void systat_print_line(const char *cells, unsigned length, const char *line_end,
                              text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    length = length < WIDTH ? length : WIDTH;
    while (length > 0 && cells[length - 1] == ' ')
        length--;
    text_row_left(&row, cells, 0, length);
    text_row_text(&row, line_end);
    text_row_end(&row, put, arg);
}

void systat_print(const struct systat_record *record, const char *line_end, text_put *put,
                  void *arg)
{
    unsigned lines = record->lines != 0 ? record->lines : SYSTAT_LINES;
    unsigned columns = record->columns != 0 ? record->columns : SYSTAT_COLUMNS;
    unsigned most = lines > UNUSED ? lines - UNUSED : 0;
    struct screen screen;

    systat_clear(&screen);
    systat_put_time(&screen, record);
    systat_put_events(&screen, record);
    systat_put_memory(&screen, record);
    systat_put_cpu(&screen, record);
    systat_put_disks(&screen, record);
    systat_put_interrupts(&screen, record, most);
    for (unsigned line = 0; line < lines && line < SYSTAT_LINES; line++)
        systat_print_line(screen.cell[line], columns, line_end, put, arg);
    for (unsigned at = SYSTAT_LINES - 2; at < record->interrupt_count && at < most; at++) {
        systat_clear(&screen);
        systat_put_interrupt(&screen, 0, record, at);
        systat_print_line(screen.cell[0], columns, line_end, put, arg);
    }
}
