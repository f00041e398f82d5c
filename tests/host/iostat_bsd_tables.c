/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of iostat -F, gstat and systat, byte for byte, with invented numbers. */
#include "stats/read/gstat.h"
#include "stats/read/iostat_bsd.h"
#include "stats/read/systat.h"
#include "tests/host/collect.h"
#include "tests/host/test.h"

#include <stdlib.h>
#include <string.h>

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

static size_t used;

static void clear(void)
{
    used = 0;
    text[0] = '\0';
}

static const struct devstat ramd = {.device_name = "ramd",
                                    .block_size = 512,
                                    .busy_count = 1,
                                    .bytes_read = 960 * 1024,
                                    .bytes_written = 320 * 1024,
                                    .num_reads = 120,
                                    .num_writes = 40,
                                    .busy_ns = 3100 * MS,
                                    .duration_ns = {0, 4800 * MS, 30 * MS, 0}};
static const struct iostat_bsd_device device = {.current = &ramd, .elapsed_ns = 10 * SECOND};
static const struct iostat_bsd_system system_of_bsd = {
    .elapsed_ns = 10 * SECOND,
    .tty_in = 10,
    .tty_out = 240,
    .cpu_ns = {0, 0, 200 * MS, 100 * MS, 9700 * MS}};

static const char *bsd(struct iostat_bsd_layout layout, size_t count)
{
    struct iostat_bsd_device devices[] = {device, device};

    clear();
    iostat_bsd_print_heading(&layout, devices, count, collect, &used);
    iostat_bsd_print(&layout, &system_of_bsd, devices, count, collect, &used);
    return text;
}

TEST(iostat_bsd_side_by_side)
{
    struct iostat_bsd_layout layout = {.old = false};

    CHECK_TEXT(bsd(layout, 1), "           ramd0 \n"
                               "  KB/t tps  MB/s \n"
                               "  8.00  16  0.12 \n");
    layout.totals = true;
    CHECK_TEXT(bsd(layout, 1), "           ramd0 \n"
                               "  KB/t xfrs   MB \n"
                               "  8.00 160  1.25 \n");
    layout = (struct iostat_bsd_layout){.old = true};
    CHECK_TEXT(bsd(layout, 2), "        ramd0         ramd0 \n"
                               " sps tps msps  sps tps msps \n"
                               " 256  16 30.2  256  16 30.2 \n");
    layout.kilobytes = true;
    CHECK_TEXT(bsd(layout, 1), "        ramd0 \n"
                               " sps tps msps \n"
                               " 128  16 30.2 \n");
    layout = (struct iostat_bsd_layout){.tty = true, .cpu = true};
    CHECK_TEXT(bsd(layout, 1), "       tty           ramd0             cpu\n"
                               " tin  tout  KB/t tps  MB/s  us ni sy in id\n"
                               "   1    24  8.00  16  0.12   0  0  2  1 97\n");
}

/* Numbers that are too large for their columns stay apart; 100 ms and more have no decimals. */
TEST(iostat_bsd_large_numbers)
{
    struct devstat slow = ramd;
    struct iostat_bsd_device one = {.current = &slow, .elapsed_ns = 10 * SECOND};
    struct iostat_bsd_layout layout = {.old = true};

    slow.duration_ns[DEVSTAT_READ] = 160 * 99900 * UINT64_C(1000) - 30 * MS;
    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK_TEXT(text, " 256  16 99.9 \n");
    slow.duration_ns[DEVSTAT_READ] = 160 * 1234 * MS - 30 * MS;
    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK_TEXT(text, " 256  16 1234 \n");
    slow.duration_ns[DEVSTAT_READ] = 160 * 56789 * MS - 30 * MS;
    one.elapsed_ns = 100 * MS; /* 25600 blocks, 1600 transfers a second */
    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK_TEXT(text, "25600 1600 56789 \n");
    slow.num_reads = UINT64_C(4294967296);
    layout = (struct iostat_bsd_layout){.extended = true};
    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK(strstr(text, "ramd0    42949672960     400 ") != NULL);
}

/* A name is shown whole: two devices whose names begin alike are told apart. */
TEST(iostat_bsd_names)
{
    struct devstat long_name = ramd;
    struct iostat_bsd_device one = {.current = &long_name, .elapsed_ns = 10 * SECOND};
    struct iostat_bsd_layout layout = {.old = false};

    strcpy(long_name.device_name, "remembering");
    long_name.unit_number = 12;
    clear();
    iostat_bsd_print_heading(&layout, &one, 1, collect, &used);
    CHECK_TEXT(text, "   remembering12 \n  KB/t tps  MB/s \n");
    layout.extended = true;
    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK(strstr(text, "remembering12      12       4 ") == text);
}

TEST(iostat_bsd_extended_system)
{
    struct iostat_bsd_layout layout = {.extended = true, .tty = true, .cpu = true};
    struct devstat idle = {.device_name = "ramd"};
    struct iostat_bsd_device one = {.current = &idle, .elapsed_ns = 10 * SECOND};

    clear();
    iostat_bsd_print_cpu(&system_of_bsd, collect, &used);
    CHECK_TEXT(text, "      cpu\n"
                     " us ni sy in id\n"
                     "  0  0  2  1 97\n");
    CHECK_TEXT(bsd(layout, 1),
               "                        extended device statistics        tty \n"
               "device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b  "
               "tin  tout \n"
               "ramd0         12       4     96.0     32.0    40     1     0    30    1  31    "
               "1   24\n");
    layout.skip_idle = true;
    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK_TEXT(text, "                                                       1    24"
                     "  0  0  2  1 97\n");
}

TEST(iostat_bsd_extended)
{
    struct iostat_bsd_layout layout = {.extended = true};

    CHECK_TEXT(bsd(layout, 1),
               "                        extended device statistics  \n"
               "device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b  \n"
               "ramd0         12       4     96.0     32.0    40     1     0    30    1  31 \n");
    layout.totals = true;
    CHECK_TEXT(
        bsd(layout, 1),
        "                        extended device statistics  \n"
        "device           r/i         w/i         kr/i         kw/i qlen   tsvc_t/i      sb/i  \n"
        "ramd0          120.0        40.0        960.0        320.0    1      4.830       3.1 \n");
}

TEST(iostat_bsd_without_idle_ones)
{
    struct iostat_bsd_layout layout = {.extended = true, .skip_idle = true};
    struct devstat slow = {.num_reads = 1, .busy_ns = 50 * MS, .bytes_read = 10};
    struct iostat_bsd_device one = {.current = &slow, .elapsed_ns = 20 * SECOND};

    clear();
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used); /* 0.05 a second */
    CHECK_TEXT(text, "");
    slow.num_reads = 2;
    iostat_bsd_print(&layout, &system_of_bsd, &one, 1, collect, &used);
    CHECK(used > 0);
}

static const char *gstat(struct gstat_layout layout, const struct iostat_bsd_device *one)
{
    clear();
    gstat_print_heading(&layout, 1002 * MS, 1000 * MS, NULL, "", collect, &used);
    gstat_print_row(&layout, one, "", collect, &used);
    return text;
}

TEST(gstat_table)
{
    struct gstat_layout layout = {.colors = false};
    struct devstat copy = ramd;
    struct iostat_bsd_device one = {.current = &copy, .elapsed_ns = 10 * SECOND};

    copy.duration_ns[DEVSTAT_READ] = 3744 * MS;
    CHECK_TEXT(gstat(layout, &one),
               "dT: 1.002s  w: 1.000s\n"
               " L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name\n"
               "    1     16     12     96   31.2      4     32  0.750   31.0| ramd0\n");
    copy.sequence1 = 1;
    copy.duration_ns[DEVSTAT_READ] = 240000 * MS;
    layout = (struct gstat_layout){.colors = true, .deletes = true, .others = true};
    CHECK_TEXT(gstat(layout, &one),
               "dT: 1.002s  w: 1.000s\n"
               " L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w    d/s   kBps   ms/d    o/s "
               "  ms/o   %busy Name\n"
               "    1     16     12     96   2000      4     32  0.750      0      0  0.000      0 "
               " 0.000 \033[32m  31.0\033[0m|*ramd0\n");
    copy.busy_ns = 0;
    layout = (struct gstat_layout){.active = true};
    CHECK(strstr(gstat(layout, &one), "ramd0") == NULL);
}

TEST(systat_numbers)
{
    char out[8];

    systat_number(out, 0, 5);
    CHECK_TEXT(out, "     ");
    systat_number(out, 99999, 5);
    CHECK_TEXT(out, "99999");
    systat_number(out, 100000, 5);
    CHECK_TEXT(out, " 100k");
    systat_number(out, 12345678, 5);
    CHECK_TEXT(out, "  12M");
    systat_number(out, 123456789012, 5);
    CHECK_TEXT(out, "*****");
}

TEST(systat_screen)
{
    struct systat_interrupt lines[] = {{"cpu0 timer", 1000}, {"ioapic0 pin 4", 30}};
    struct systat_record record = {.uptime_ns = 93784 * SECOND,
                                   .system = system_of_bsd,
                                   .cpus = 2,
                                   .threads_running = 1,
                                   .threads_sleeping = 7,
                                   .switches = 120,
                                   .tty_in = 10,
                                   .memory_total = 131072 * 1024,
                                   .memory_free = 131000 * 1024,
                                   .disks = &device,
                                   .disk_count = 1,
                                   .interrupts = lines,
                                   .interrupt_count = 2,
                                   .interrupts_total = 1030};

    record.system.cpu_ns[2] = 2000 * MS;
    record.system.cpu_ns[4] = 7900 * MS;
    clear();
    systat_print(&record, "", collect, &used);
    CHECK_TEXT(text,
               "   2 CPUs    up 1+02:03:04                                 Interrupts\n"
               "                                                            103 total\n"
               "         run  ready  sleep                                  100 cpu0 timer\n"
               "Thr:       1             7                                    3 ioapic0 pin 4\n"
               "\n"
               "         Csw    Trp    Int    Sof   Xcal    Mtx    Tin\n"
               "Ev/s:     12           103                           1\n"
               "\n"
               "       total   used   free\n"
               "KB:   131072     72 131000\n"
               "\n"
               "20.0%Sys  1.0%Intr  0.0%User  0.0%Nice 79.0%Idle\n"
               "|    |    |    |    |    |    |    |    |    |    |\n"
               "==========\n"
               "\n"
               "Disks  ramd0\n"
               "KB/t    8.00\n"
               "tps       16\n"
               "MB/s    0.12\n"
               "%busy     31\n"
               "\n\n\n");
}

/* More interrupts below the plain screen's lines, with whole names; of a small one the upper left.
 */
TEST(systat_other_screens)
{
    struct systat_interrupt lines[30];
    struct systat_record record = {
        .system = system_of_bsd, .cpus = 1, .interrupts = lines, .interrupt_count = 30};
    const char *at;

    for (unsigned i = 0; i < 30; i++)
        lines[i] = (struct systat_interrupt){"a line with a long name, its 31", 10000 - 100 * i};
    record.lines = 33;
    record.columns = 120;
    clear();
    systat_print(&record, "$", collect, &used);
    at = text;
    for (unsigned line = 0; line < 2 + 29; line++) {
        const char *end = strchr(at, '\n');

        CHECK(end != NULL && end[-1] == '$' && end - at <= 96);
        if (line >= 2) {
            unsigned rate = (10000 - 100 * (line - 2)) / 10;

            CHECK(strtoul(at + 58, NULL, 10) == (unsigned long)rate);
            CHECK(strncmp(at + 64, "a line with a long name, its 31$", 32) == 0);
        }
        at = end + 1;
    }
    CHECK(*at == '\0');
    record.lines = 10;
    record.columns = 62;
    clear();
    systat_print(&record, "", collect, &used);
    at = text;
    for (unsigned line = 0; line < 10; line++) {
        const char *end = strchr(at, '\n');

        CHECK(end != NULL && end - at <= 62);
        CHECK((line == 0 || (line >= 2 && line < 8)) == (end - at == 62)); /* cut */
        at = end + 1;
    }
    CHECK(*at == '\0');
}
