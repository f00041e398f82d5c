/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of gstat: see gstat.h. */
#include "stats/read/gstat.h"

#include "stats/read/devstat_compute.h"
#include "lib/fraction.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)

static void gstat_put_seconds(struct text_row *row, const char *label, uint64_t ns)
{
    text_row_text(row, label);
    text_row_fixed(row, fraction_round(ns, 1, 1, NS_PER_MS, 1), 3, 0);
    text_row_text(row, "s");
}

void gstat_print_heading(const struct gstat_layout *layout, uint64_t elapsed, uint64_t interval,
                         const char *filter, const char *line_end, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    gstat_put_seconds(&row, "dT: ", elapsed);
    gstat_put_seconds(&row, "  w: ", interval);
    if (filter != NULL) {
        text_row_text(&row, "  filter: ");
        text_row_text(&row, filter);
    }
    text_row_text(&row, line_end);
    text_row_end(&row, put, arg);
    text_row_text(&row, " L(q)  ops/s");
    text_row_text(&row, layout->sizes ? "    r/s     kB   kBps   ms/r    w/s     kB   kBps   ms/w"
                                      : "    r/s   kBps   ms/r    w/s   kBps   ms/w");
    if (layout->deletes)
        text_row_text(&row,
                      layout->sizes ? "    d/s     kB   kBps   ms/d" : "    d/s   kBps   ms/d");
    if (layout->others)
        text_row_text(&row, "    o/s   ms/o");
    text_row_text(&row, "   %busy Name");
    text_row_text(&row, line_end);
    text_row_end(&row, put, arg);
}

static void gstat_put_metric(struct text_row *row, const struct iostat_bsd_device *device,
                             devstat_metric metric)
{
    text_row_blanks(row, 1);
    text_row_number(
        row,
        devstat_metric_scaled(device->current, device->previous, device->elapsed_ns, metric, 0), 6);
}

static void gstat_put_kilobytes(struct text_row *row, const struct iostat_bsd_device *device,
                                devstat_metric bytes)
{
    struct devstat_value value;

    if (devstat_compute(device->current, device->previous, device->elapsed_ns, bytes, &value) != 0)
        return;
    text_row_blanks(row, 1);
    text_row_number(row, fraction_round(value.count, NS_PER_SECOND, 1, device->elapsed_ns, 1024),
                    6);
}

static void gstat_put_ms(struct text_row *row, const struct iostat_bsd_device *device,
                         devstat_metric metric)
{
    uint64_t thousandths =
        devstat_metric_scaled(device->current, device->previous, device->elapsed_ns, metric, 3);
    unsigned decimals = thousandths > 1000000 ? 0 : thousandths > 1000 ? 1 : 3;

    text_row_blanks(row, 1);
    text_row_fixed(row,
                   devstat_metric_scaled(device->current, device->previous, device->elapsed_ns,
                                         metric, decimals),
                   decimals, 6);
}

struct kind {
    devstat_metric rate, size, bytes, ms;
    const char *name;
};
static const struct kind reads = {DSM_TRANSFERS_PER_SECOND_READ, DSM_KB_PER_TRANSFER_READ,
                                  DSM_TOTAL_BYTES_READ, DSM_MS_PER_TRANSACTION_READ, "read"};
static const struct kind writes = {DSM_TRANSFERS_PER_SECOND_WRITE, DSM_KB_PER_TRANSFER_WRITE,
                                   DSM_TOTAL_BYTES_WRITE, DSM_MS_PER_TRANSACTION_WRITE, "write"};
static const struct kind deletes = {DSM_TRANSFERS_PER_SECOND_FREE, DSM_KB_PER_TRANSFER_FREE,
                                    DSM_TOTAL_BYTES_FREE, DSM_MS_PER_TRANSACTION_FREE, "delete"};

static void gstat_put_kind(struct text_row *row, const struct gstat_layout *layout,
                           const struct iostat_bsd_device *device, const struct kind *kind)
{
    gstat_put_metric(row, device, kind->rate);
    if (layout->sizes)
        gstat_put_metric(row, device, kind->size);
    gstat_put_kilobytes(row, device, kind->bytes);
    gstat_put_ms(row, device, kind->ms);
}

static void gstat_put_busy(struct text_row *row, const struct gstat_layout *layout, uint64_t tenths)
{
    static const char green[] = "\033[32m", magenta[] = "\033[35m", red[] = "\033[31m";

    text_row_blanks(row, 1);
    if (layout->colors)
        text_row_text(row, tenths > 800 ? red : tenths > 500 ? magenta : green);
    text_row_fixed(row, tenths, 1, 6);
    if (layout->colors)
        text_row_text(row, "\033[0m");
    text_row_text(row, "|");
}

void gstat_print_row(const struct gstat_layout *layout, const struct iostat_bsd_device *device,
                     const char *line_end, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};
    char name[IOSTAT_BSD_NAME_MAX];
    uint64_t busy = devstat_metric_scaled(device->current, device->previous, device->elapsed_ns,
                                          DSM_BUSY_PCT, 1);

    if (layout->active && busy == 0)
        return;
    iostat_bsd_name(name, device->current);
    text_row_blanks(&row, 1);
    text_row_number(&row, devstat_metric_scaled(device->current, NULL, 1, DSM_QUEUE_LENGTH, 0), 4);
    gstat_put_metric(&row, device, DSM_TRANSFERS_PER_SECOND);
    gstat_put_kind(&row, layout, device, &reads);
    gstat_put_kind(&row, layout, device, &writes);
    if (layout->deletes)
        gstat_put_kind(&row, layout, device, &deletes);
    if (layout->others) {
        gstat_put_metric(&row, device, DSM_TRANSFERS_PER_SECOND_OTHER);
        gstat_put_ms(&row, device, DSM_MS_PER_TRANSACTION_OTHER);
    }
    gstat_put_busy(&row, layout, busy);
    text_row_text(&row, devstat_torn(device->current) ? "*" : " ");
    text_row_text(&row, name);
    text_row_text(&row, line_end);
    text_row_end(&row, put, arg);
}

static void gstat_csv_heading(struct text_row *row, const struct gstat_layout *layout,
                              const struct kind *kind)
{
    const char *const parts[] = {",", kind->name, "/s,", kind->name, "_sz-KiB,"};

    for (unsigned i = 0; i < (layout->sizes ? 5 : 3); i++)
        text_row_text(row, parts[i]);
    text_row_text(row, kind->name);
    text_row_text(row, "-KiB/s,ms/");
    text_row_text(row, kind->name);
}

void gstat_print_csv_heading(const struct gstat_layout *layout, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    text_row_text(&row, "timestamp,name,q-depth,total_ops/s");
    gstat_csv_heading(&row, layout, &reads);
    gstat_csv_heading(&row, layout, &writes);
    if (layout->deletes)
        gstat_csv_heading(&row, layout, &deletes);
    text_row_text(&row, layout->others ? ",other/s,ms/other,%busy" : ",%busy");
    text_row_end(&row, put, arg);
}

static void gstat_csv_metric(struct text_row *row, const struct iostat_bsd_device *device,
                             devstat_metric metric, unsigned decimals)
{
    text_row_text(row, ",");
    text_row_fixed(row,
                   devstat_metric_scaled(device->current, device->previous, device->elapsed_ns,
                                         metric, decimals),
                   decimals, 0);
}

static void gstat_csv_kind(struct text_row *row, const struct gstat_layout *layout,
                           const struct iostat_bsd_device *device, const struct kind *kind)
{
    struct devstat_value value = {.count = 0};

    gstat_csv_metric(row, device, kind->rate, 0);
    if (layout->sizes)
        gstat_csv_metric(row, device, kind->size, 0);
    devstat_compute(device->current, device->previous, device->elapsed_ns, kind->bytes, &value);
    text_row_text(row, ",");
    text_row_number(row, fraction_round(value.count, NS_PER_SECOND, 1, device->elapsed_ns, 1024),
                    0);
    gstat_csv_metric(row, device, kind->ms, 3);
}

void gstat_print_csv_row(const struct gstat_layout *layout, const char *time,
                         const struct iostat_bsd_device *device, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};
    char name[IOSTAT_BSD_NAME_MAX];

    if (layout->active && devstat_metric_scaled(device->current, device->previous,
                                                device->elapsed_ns, DSM_BUSY_PCT, 1) == 0)
        return;
    iostat_bsd_name(name, device->current);
    text_row_text(&row, time);
    text_row_text(&row, ",");
    text_row_text(&row, name);
    gstat_csv_metric(&row, device, DSM_QUEUE_LENGTH, 0);
    gstat_csv_metric(&row, device, DSM_TRANSFERS_PER_SECOND, 0);
    gstat_csv_kind(&row, layout, device, &reads);
    gstat_csv_kind(&row, layout, device, &writes);
    if (layout->deletes)
        gstat_csv_kind(&row, layout, device, &deletes);
    if (layout->others) {
        gstat_csv_metric(&row, device, DSM_TRANSFERS_PER_SECOND_OTHER, 0);
        gstat_csv_metric(&row, device, DSM_MS_PER_TRANSACTION_OTHER, 3);
    }
    gstat_csv_metric(&row, device, DSM_BUSY_PCT, 1);
    text_row_end(&row, put, arg);
}
