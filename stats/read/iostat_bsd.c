/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat as FreeBSD lays it out: see iostat_bsd.h. */
#include "stats/read/iostat_bsd.h"

#include "stats/read/devstat_compute.h"
#include "lib/fraction.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NAME_WIDTH    8u /* with -x; a longer one is shown whole */
#define KB            1024u

/* With -I a rate is what came in one second. */
static uint64_t iostat_bsd_metric(const struct iostat_bsd_layout *layout,
                                  const struct iostat_bsd_device *device, devstat_metric which,
                                  unsigned decimals)
{
    return devstat_metric_scaled(device->current, device->previous,
                                 layout->totals ? NS_PER_SECOND : device->elapsed_ns, which,
                                 decimals);
}

void iostat_bsd_name(char *out, const struct devstat *ds)
{
    char digits[12];
    unsigned at = 0, used = 0;
    unsigned unit = (unsigned)(ds->unit_number < 0 ? 0 : ds->unit_number);

    while (at < DEVSTAT_NAME_LEN - 1 && ds->device_name[at] != '\0') {
        out[at] = ds->device_name[at];
        at++;
    }
    do {
        digits[used++] = (char)('0' + unit % 10);
        unit /= 10;
    } while (unit > 0);
    while (used > 0)
        out[at++] = digits[--used];
    out[at] = '\0';
}

/* A number that stays apart from what is before it, be it as large as it likes. */
static void iostat_bsd_put_apart(struct text_row *row, uint64_t value, unsigned decimals,
                                 size_t width)
{
    text_row_blanks(row, 1);
    text_row_fixed(row, value, decimals, width - 1);
}

static void iostat_bsd_extended_heading(const struct iostat_bsd_layout *layout, text_put *put,
                                        void *arg)
{
    struct text_row row = {.used = 0};

    text_row_blanks(&row, 24);
    text_row_text(&row, "extended device statistics  ");
    if (layout->tty)
        text_row_text(&row, "      tty ");
    text_row_end(&row, put, arg);
    if (layout->totals)
        text_row_text(&row, "device           r/i         w/i         kr/i         kw/i qlen   "
                            "tsvc_t/i      sb/i  ");
    else
        text_row_text(
            &row, "device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b  ");
    if (layout->tty)
        text_row_text(&row, "tin  tout ");
    text_row_end(&row, put, arg);
}

void iostat_bsd_print_heading(const struct iostat_bsd_layout *layout,
                              const struct iostat_bsd_device *devices, size_t count, text_put *put,
                              void *arg)
{
    struct text_row row = {.put = put, .arg = arg};
    char name[IOSTAT_BSD_NAME_MAX];

    if (layout->extended) {
        iostat_bsd_extended_heading(layout, put, arg);
        return;
    }
    if (layout->tty)
        text_row_text(&row, "       tty");
    for (size_t at = 0; at < count; at++) {
        iostat_bsd_name(name, devices[at].current);
        text_row_right(&row, name, layout->old ? 13 : 16, sizeof name);
        text_row_blanks(&row, 1);
    }
    if (layout->cpu)
        text_row_text(&row, "            cpu");
    text_row_end(&row, put, arg);
    if (layout->tty)
        text_row_text(&row, " tin  tout");
    for (size_t at = 0; at < count; at++) {
        if (layout->old)
            text_row_text(&row, layout->totals ? " blk xfr msps " : " sps tps msps ");
        else
            text_row_text(&row, layout->totals ? "  KB/t xfrs   MB " : "  KB/t tps  MB/s ");
    }
    if (layout->cpu)
        text_row_text(&row, " us ni sy in id");
    text_row_end(&row, put, arg);
}

static uint64_t iostat_bsd_kilobytes_of(const struct iostat_bsd_layout *layout,
                                        const struct iostat_bsd_device *device,
                                        devstat_metric bytes)
{
    struct devstat_value value;
    uint64_t elapsed = layout->totals ? NS_PER_SECOND : device->elapsed_ns;

    if (devstat_compute(device->current, device->previous, elapsed, bytes, &value) != 0)
        return 0;
    return fraction_round(value.count, NS_PER_SECOND, 10, elapsed, KB); /* in tenths */
}

static void iostat_bsd_put_cpu(struct text_row *row, const struct iostat_bsd_system *system)
{
    uint64_t all = 0;

    for (unsigned state = 0; state < CPUSTATES; state++)
        all += system->cpu_ns[state];
    for (unsigned state = 0; state < CPUSTATES; state++)
        iostat_bsd_put_apart(row, fraction_round(system->cpu_ns[state], 100, 1, all, 1), 0, 3);
}

static void iostat_bsd_put_tty(struct text_row *row, const struct iostat_bsd_layout *layout,
                               const struct iostat_bsd_system *system, size_t out_width)
{
    uint64_t per = layout->totals ? NS_PER_SECOND : system->elapsed_ns;

    text_row_fixed(row, fraction_round(system->tty_in, NS_PER_SECOND, 1, per, 1), 0, 4);
    iostat_bsd_put_apart(row, fraction_round(system->tty_out, NS_PER_SECOND, 1, per, 1), 0,
                         out_width);
}

void iostat_bsd_print_cpu(const struct iostat_bsd_system *system, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    text_row_text(&row, "      cpu");
    text_row_end(&row, put, arg);
    text_row_text(&row, " us ni sy in id");
    text_row_end(&row, put, arg);
    iostat_bsd_put_cpu(&row, system);
    text_row_end(&row, put, arg);
}

/* A fraction rounded to an integer, as %.0f prints it; queue lengths as they are. */
static void iostat_bsd_put_rates(struct text_row *row, const struct iostat_bsd_layout *layout,
                                 const struct iostat_bsd_device *device)
{
    static const devstat_metric times[] = {DSM_MS_PER_TRANSACTION_READ,
                                           DSM_MS_PER_TRANSACTION_WRITE,
                                           DSM_MS_PER_TRANSACTION_OTHER, DSM_MS_PER_TRANSACTION};

    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_TRANSFERS_PER_SECOND_READ, 0),
                         0, 8);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_TRANSFERS_PER_SECOND_WRITE, 0),
                         0, 8);
    iostat_bsd_put_apart(row, iostat_bsd_kilobytes_of(layout, device, DSM_TOTAL_BYTES_READ), 1, 9);
    iostat_bsd_put_apart(row, iostat_bsd_kilobytes_of(layout, device, DSM_TOTAL_BYTES_WRITE), 1, 9);
    for (unsigned at = 0; at < sizeof times / sizeof times[0]; at++)
        iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, times[at], 0), 0, 6);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_QUEUE_LENGTH, 0), 0, 5);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_BUSY_PCT, 0), 0, 4);
    text_row_blanks(row, 1);
}

/* Totals of the time between: transfers, kilobytes, time of service and time busy in seconds. */
static void iostat_bsd_put_totals(struct text_row *row, const struct iostat_bsd_layout *layout,
                                  const struct iostat_bsd_device *device)
{
    iostat_bsd_put_apart(row, 10 * iostat_bsd_metric(layout, device, DSM_TOTAL_TRANSFERS_READ, 0),
                         1, 12);
    iostat_bsd_put_apart(row, 10 * iostat_bsd_metric(layout, device, DSM_TOTAL_TRANSFERS_WRITE, 0),
                         1, 12);
    iostat_bsd_put_apart(row, iostat_bsd_kilobytes_of(layout, device, DSM_TOTAL_BYTES_READ), 1, 13);
    iostat_bsd_put_apart(row, iostat_bsd_kilobytes_of(layout, device, DSM_TOTAL_BYTES_WRITE), 1,
                         13);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_QUEUE_LENGTH, 0), 0, 5);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_TOTAL_DURATION, 3), 3, 11);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_TOTAL_BUSY_TIME, 1), 1, 10);
    text_row_blanks(row, 1);
}

static bool iostat_bsd_is_idle(const struct iostat_bsd_device *device)
{
    static const devstat_metric rates[] = {DSM_TRANSFERS_PER_SECOND_READ,
                                           DSM_TRANSFERS_PER_SECOND_WRITE};
    const struct devstat *ds = device->current, *before = device->previous;
    uint64_t ns = device->elapsed_ns;
    uint64_t read = ds->bytes_read - (before != NULL ? before->bytes_read : 0);
    uint64_t written = ds->bytes_written - (before != NULL ? before->bytes_written : 0);

    for (unsigned at = 0; at < 2; at++) {
        if (devstat_metric_scaled(ds, before, ns, rates[at], 2) > 5)
            return false;
    }
    return fraction_round(read, NS_PER_SECOND, 1000000, ns, KB) < 500 &&
           fraction_round(written, NS_PER_SECOND, 1000000, ns, KB) < 500 &&
           devstat_metric_scaled(ds, before, ns, DSM_BUSY_PCT, 1) <= 5;
}

static void iostat_bsd_extended_row(const struct iostat_bsd_layout *layout,
                                    const struct iostat_bsd_system *system,
                                    const struct iostat_bsd_device *device, bool first,
                                    text_put *put, void *arg)
{
    struct text_row row = {.used = 0};
    char name[IOSTAT_BSD_NAME_MAX];

    iostat_bsd_name(name, device->current);
    text_row_left(&row, name, NAME_WIDTH, sizeof name);
    if (layout->totals)
        iostat_bsd_put_totals(&row, layout, device);
    else
        iostat_bsd_put_rates(&row, layout, device);
    if (first && layout->tty)
        iostat_bsd_put_tty(&row, layout, system, 5);
    text_row_end(&row, put, arg);
}

static void iostat_bsd_put_short(struct text_row *row, const struct iostat_bsd_layout *layout,
                                 const struct iostat_bsd_device *device)
{
    unsigned decimals;

    if (!layout->old) {
        text_row_fixed(row, iostat_bsd_metric(layout, device, DSM_KB_PER_TRANSFER, 2), 2, 6);
        text_row_blanks(row, 1);
        text_row_fixed(row, iostat_bsd_metric(layout, device, DSM_TRANSFERS_PER_SECOND, 0), 0, 3);
        text_row_blanks(row, 1);
        text_row_fixed(row, iostat_bsd_metric(layout, device, DSM_MB_PER_SECOND, 2), 2, 5);
        text_row_blanks(row, 1);
        return;
    }
    if (layout->kilobytes)
        text_row_fixed(row, (iostat_bsd_kilobytes_of(layout, device, DSM_TOTAL_BYTES) + 5) / 10, 0,
                       4);
    else
        text_row_fixed(row, iostat_bsd_metric(layout, device, DSM_BLOCKS_PER_SECOND, 0), 0, 4);
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_TRANSFERS_PER_SECOND, 0), 0, 4);
    /* From 100 ms on there is no room for tenths. */
    decimals = iostat_bsd_metric(layout, device, DSM_MS_PER_TRANSACTION, 3) < 100000 ? 1 : 0;
    iostat_bsd_put_apart(row, iostat_bsd_metric(layout, device, DSM_MS_PER_TRANSACTION, decimals),
                         decimals, 5);
    text_row_blanks(row, 1);
}

/* With -x and -z, where no device has a row for it. */
static void iostat_bsd_put_system_alone(const struct iostat_bsd_layout *layout,
                                        const struct iostat_bsd_system *system, text_put *put,
                                        void *arg)
{
    struct text_row row = {.used = 0};

    text_row_blanks(&row, 52);
    if (layout->tty)
        iostat_bsd_put_tty(&row, layout, system, 6);
    if (layout->cpu)
        iostat_bsd_put_cpu(&row, system);
    text_row_end(&row, put, arg);
}

void iostat_bsd_print(const struct iostat_bsd_layout *layout,
                      const struct iostat_bsd_system *system,
                      const struct iostat_bsd_device *devices, size_t count, text_put *put,
                      void *arg)
{
    struct text_row row = {.put = put, .arg = arg};
    bool first = true;

    if (layout->extended) {
        for (size_t at = 0; at < count; at++) {
            if (layout->skip_idle && iostat_bsd_is_idle(&devices[at]))
                continue;
            iostat_bsd_extended_row(layout, system, &devices[at], first, put, arg);
            first = false;
        }
        if (first && layout->skip_idle && (layout->tty || layout->cpu))
            iostat_bsd_put_system_alone(layout, system, put, arg);
        return;
    }
    if (layout->tty)
        iostat_bsd_put_tty(&row, layout, system, 6);
    for (size_t at = 0; at < count; at++)
        iostat_bsd_put_short(&row, layout, &devices[at]);
    if (layout->cpu)
        iostat_bsd_put_cpu(&row, system);
    text_row_end(&row, put, arg);
}
