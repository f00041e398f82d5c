/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of iostat, byte for byte, with invented numbers. */
#include "stats/read/iostat.h"
#include "tests/host/collect.h"
#include "tests/host/test.h"

#include <string.h>

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

static size_t used;

static void clear(void)
{
    used = 0;
    text[0] = '\0';
}

/* 160 transfers in 10 s, 7.008 s of them waited for and served. */
static const struct iostat_reading first = {
    .name = "ramd0", .time = 5 * SECOND, .nread = 7, .reads = 3};
static const struct iostat_reading second = {.name = "ramd0",
                                             .time = 15 * SECOND,
                                             .nread = 7 + 960 * 1024,
                                             .nwritten = 320 * 1024,
                                             .reads = 123,
                                             .writes = 40,
                                             .wtime = 1000 * MS,
                                             .wlentime = 2000 * MS,
                                             .rtime = 3100 * MS,
                                             .rlentime = 5008 * MS};

static const char *table(struct iostat_layout layout, const struct iostat_reading *a,
                         const struct iostat_reading *b)
{
    clear();
    layout.name_width = iostat_name_width(b, 1);
    iostat_print_heading(&layout, collect, &used);
    iostat_print_row(&layout, a, b, NULL, collect, &used);
    return text;
}

static const struct iostat_system of_both = {
    .tty_in = 10, .tty_out = 240, .system = 200 * MS, .idle = 9800 * MS, .elapsed = 10 * SECOND};

static const char *short_table(struct iostat_layout layout, size_t count)
{
    struct iostat_reading before[] = {first, first}, now[] = {second, second};

    clear();
    iostat_print_short_heading(&layout, now, count, collect, &used);
    iostat_print_short_row(&layout, &of_both, before, now, count, collect, &used);
    return text;
}

static const char *long_table(struct iostat_layout layout)
{
    clear();
    layout.name_width = iostat_name_width(&second, 1);
    if (layout.name_last)
        iostat_print_system(&layout, &of_both, collect, &used);
    iostat_print_heading(&layout, collect, &used);
    iostat_print_row(&layout, &first, &second, &of_both, collect, &used);
    return text;
}

TEST(iostat_extended)
{
    struct iostat_layout layout = {.extended = true};

    CHECK_TEXT(table(layout, &first, &second),
               "                 extended device statistics                 \n"
               "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b \n"
               "ramd0    12.0    4.0   96.0   32.0  0.2  0.5   43.8  10  31 \n");
    layout.name_last = true;
    CHECK_TEXT(table(layout, &first, &second),
               "                    extended device statistics              \n"
               "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n"
               "   12.0    4.0   96.0   32.0  0.2  0.5   12.5   31.3  10  31 ramd0\n");
}

TEST(iostat_amounts)
{
    struct iostat_layout layout = {.extended = true, .totals = true};

    CHECK_TEXT(table(layout, &first, &second),
               "                 extended device statistics                 \n"
               "device    r/i    w/i   kr/i   kw/i wait actv  svc_t  %w  %b \n"
               "ramd0   120.0   40.0  960.0  320.0  0.2  0.5   43.8  10  31 \n");
    layout = (struct iostat_layout){.extended = true, .megabytes = true, .commas = true};
    CHECK_TEXT(table(layout, &first, &second), "extended device statistics\n"
                                               "device,r/s,w/s,Mr/s,Mw/s,wait,actv,svc_t,%w,%b\n"
                                               "ramd0,12.0,4.0,0.1,0.0,0.2,0.5,43.8,10,31\n");
    layout.name_last = true;
    CHECK_TEXT(table(layout, &first, &second),
               "extended device statistics\n"
               "r/s,w/s,Mr/s,Mw/s,wait,actv,wsvc_t,asvc_t,%w,%b,device\n"
               "12.0,4.0,0.1,0.0,0.2,0.5,12.5,31.3,10,31,ramd0\n");
}

TEST(iostat_edges)
{
    struct iostat_layout layout = {.extended = true, .skip_zero = true};
    struct iostat_reading now = second, long_name = {.name = "a name of thirty characters ..."};

    CHECK_TEXT(table(layout, &second, &second),
               "                 extended device statistics                 \n"
               "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b \n");
    now.time += 10 * SECOND;
    now.rtime += 20 * MS; /* 0.2 percent: not idle */
    CHECK(strstr(table(layout, &second, &now), "ramd0     0.0    0.0") != NULL);
    CHECK_EQUAL(iostat_name_width(&long_name, 1), 24);
    layout.skip_zero = false;
    now = second;
    now.reads = 2; /* counts of 32 bits go round */
    CHECK(strstr(table(layout, &second, &now), "4294967175.0") != NULL);
}

TEST(iostat_short)
{
    struct iostat_layout layout = {.tty = true, .disks = true, .cpu = true};

    CHECK_TEXT(short_table(layout, 1), "   tty       ramd0           cpu\n"
                                       " tin tout kps tps serv   us sy dt id\n"
                                       "   1   24 128  16   44    0  2  0 98\n");
    layout = (struct iostat_layout){.usage = true};
    CHECK_TEXT(short_table(layout, 2), "   ramd0         ramd0      \n"
                                       "rps wps util  rps wps util  \n"
                                       " 12   4 31.0   12   4 31.0  \n");
    layout = (struct iostat_layout){.disks = true, .megabytes = true, .totals = true};
    CHECK_TEXT(short_table(layout, 1), "   ramd0      \n"
                                       "Mpi tpi serv  \n"
                                       "  1 160   44  \n");
}

TEST(iostat_short_with_commas)
{
    struct iostat_layout layout = {.disks = true, .commas = true};

    CHECK_TEXT(short_table(layout, 2), "ramd0,ramd0\n"
                                       "kps,tps,serv,kps,tps,serv\n"
                                       "128,16,44,128,16,44\n");
    layout = (struct iostat_layout){.usage = true, .commas = true};
    CHECK_TEXT(short_table(layout, 1), "ramd0\n"
                                       "rps,wps,util\n"
                                       "12,4,31.0\n");
    layout = (struct iostat_layout){.tty = true, .disks = true, .cpu = true, .commas = true};
    CHECK_TEXT(short_table(layout, 1), "tty,ramd0,cpu\n"
                                       "tin,tout,kps,tps,serv,us,sy,dt,id\n"
                                       "1,24,128,16,44,0,2,0,98\n");
}

TEST(iostat_long_with_system)
{
    struct iostat_layout layout = {.extended = true, .tty = true, .cpu = true};

    CHECK_TEXT(
        long_table(layout),
        "                 extended device statistics                    tty         cpu\n"
        "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b  tin tout  us sy dt id\n"
        "ramd0    12.0    4.0   96.0   32.0  0.2  0.5   43.8  10  31    1   24   0  2  0 98\n");
    layout.commas = true;
    CHECK_TEXT(long_table(layout),
               "extended device statistics,tty,cpu\n"
               "device,r/s,w/s,kr/s,kw/s,wait,actv,svc_t,%w,%b,tin,tout,us,sy,dt,id\n"
               "ramd0,12.0,4.0,96.0,32.0,0.2,0.5,43.8,10,31,1,24,0,2,0,98\n");
    layout.commas = false;
    layout.name_last = true;
    CHECK_TEXT(long_table(layout),
               "   tty         cpu\n"
               " tin tout  us sy dt id\n"
               "   1   24   0  2  0 98\n"
               "                    extended device statistics              \n"
               "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n"
               "   12.0    4.0   96.0   32.0  0.2  0.5   12.5   31.3  10  31 ramd0\n");
}

TEST(iostat_errors)
{
    struct iostat_layout layout = {.errors = true};
    struct iostat_reading now = second;

    now.soft = 1;
    now.hard = 20;
    now.transport = 3;
    CHECK_TEXT(table(layout, &first, &now), "           ---- errors --- \n"
                                            "device  s/w h/w trn tot \n"
                                            "ramd0     1  20   3  24 \n");
    layout.extended = true;
    CHECK_TEXT(table(layout, &first, &now),
               "                         extended device statistics         ---- errors --- \n"
               "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b s/w h/w trn tot \n"
               "ramd0    12.0    4.0   96.0   32.0  0.2  0.5   43.8  10  31   1  20   3  24 \n");
    layout.name_last = true;
    CHECK_TEXT(
        table(layout, &first, &now),
        "                            extended device statistics       ---- errors --- \n"
        "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b s/w h/w trn tot device\n"
        "   12.0    4.0   96.0   32.0  0.2  0.5   12.5   31.3  10  31   1  20   3  24 ramd0\n");
    layout = (struct iostat_layout){.errors = true, .name_last = true};
    CHECK_TEXT(table(layout, &first, &now), "  ---- errors --- \n"
                                            "  s/w h/w trn tot device\n"
                                            "    1  20   3  24 ramd0\n");
    layout.commas = true;
    CHECK(strstr(table(layout, &first, &now), "errors\ns/w,h/w,trn,tot,device\n") != NULL);
    CHECK(strstr(table(layout, &first, &now), "\n1,20,3,24,ramd0\n") != NULL);
}
