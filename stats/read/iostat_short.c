/* SPDX-License-Identifier: BSD-2-Clause */
/* The short form of iostat as Solaris lays it out, a row for all: see iostat.h. */
#include "stats/read/iostat.h"

#include "lib/fraction.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define NAME_SHOWN    13u /* characters of a device's name, above three columns */
#define NAME_MIDDLE   6u

static bool iostat_short_has_disks(const struct iostat_layout *layout)
{
    return layout->disks || layout->usage;
}

static void iostat_short_put_disk_name(struct text_row *row, const struct iostat_layout *layout,
                                       const char *name)
{
    size_t length = 0, width;

    while (name[length] != '\0')
        length++;
    width = NAME_MIDDLE + length / 2;
    if (layout->commas) {
        iostat_put_text(row, layout, name, name);
        return;
    }
    width = length > width ? length : width;
    width = width < NAME_SHOWN ? width : NAME_SHOWN;
    text_row_right(row, name, width, NAME_SHOWN);
    text_row_blanks(row, NAME_SHOWN - width + 1);
}

static void iostat_short_put_disk_heading(struct text_row *row, const struct iostat_layout *layout)
{
    char columns[] = "kps tps serv  ", commas[] = "kps,tps,serv";

    if (layout->usage) {
        iostat_put_text(row, layout, layout->totals ? "rpi wpi util  " : "rps wps util  ",
                        layout->totals ? "rpi,wpi,util" : "rps,wps,util");
        return;
    }
    if (layout->megabytes)
        columns[0] = commas[0] = 'M';
    if (layout->totals)
        columns[2] = columns[6] = commas[2] = commas[6] = 'i';
    iostat_put_text(row, layout, columns, commas);
}

void iostat_print_short_heading(const struct iostat_layout *layout,
                                const struct iostat_reading *readings, size_t count, text_put *put,
                                void *arg)
{
    struct iostat_layout tty = *layout, cpu = *layout;

    tty.cpu = false;
    cpu.tty = false;
    for (int line = 0; line < 2; line++) {
        struct text_row row = {.put = put, .arg = arg};

        iostat_put_system_heading(&row, &tty, line == 1);
        for (size_t at = 0; iostat_short_has_disks(layout) && at < count; at++) {
            if (line == 0)
                iostat_short_put_disk_name(&row, layout, readings[at].name);
            else
                iostat_short_put_disk_heading(&row, layout);
        }
        iostat_put_system_heading(&row, &cpu, line == 1);
        text_row_end(&row, put, arg);
    }
}

/* Kilobytes and transfers a second, and how long one took; or reads and writes a second, and how
 * much of the time the disk was busy. */
static void iostat_short_put_disk(struct text_row *row, const struct iostat_layout *layout,
                                  const struct iostat_reading *a, const struct iostat_reading *b)
{
    uint64_t elapsed = b->time > a->time ? b->time - a->time : NS_PER_SECOND;
    uint64_t per = layout->totals ? NS_PER_SECOND : elapsed;
    uint64_t bytes = b->nread - a->nread + (b->nwritten - a->nwritten);
    uint32_t reads = b->reads - a->reads, writes = b->writes - a->writes;
    uint64_t spent = b->wlentime - a->wlentime + (b->rlentime - a->rlentime);
    uint64_t done = (uint64_t)reads + writes;
    uint64_t unit = layout->megabytes ? 1024 * 1024 : 1024;
    uint64_t first = fraction_round(layout->usage ? reads : bytes, NS_PER_SECOND, 1, per,
                                    layout->usage ? 1 : unit);
    uint64_t second = fraction_round(layout->usage ? writes : done, NS_PER_SECOND, 1, per, 1);
    uint64_t third = layout->usage ? fraction_round(b->rtime - a->rtime, 1000, 1, elapsed, 1)
                                   : fraction_round(spent, 1, 1, done, NS_PER_MS);

    if (layout->commas)
        iostat_put_value(row, layout, first, 0, 0);
    else
        text_row_fixed(row, first, 0, 3);
    iostat_put_value(row, layout, second, 0, 3);
    iostat_put_value(row, layout, third, layout->usage ? 1 : 0, 4);
    text_row_blanks(row, layout->commas ? 0 : 2);
}

void iostat_print_short_row(const struct iostat_layout *layout, const struct iostat_system *system,
                            const struct iostat_reading *before, const struct iostat_reading *now,
                            size_t count, text_put *put, void *arg)
{
    struct text_row row = {.put = put, .arg = arg};

    if (layout->tty)
        iostat_put_tty(&row, layout, system);
    for (size_t at = 0; iostat_short_has_disks(layout) && at < count; at++)
        iostat_short_put_disk(&row, layout, &before[at], &now[at]);
    if (layout->cpu)
        iostat_put_cpu(&row, layout, system);
    text_row_end(&row, put, arg);
}
