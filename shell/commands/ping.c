/* SPDX-License-Identifier: BSD-2-Clause */
/* ping: ICMP echo requests, and what became of them, as FreeBSD's ping prints it. */
#include "kernel/time/clock.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "net/icmp.h"
#include "net/ipv4.h"
#include "shell/command.h"
#include "shell/commands/shared/host_operand.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND       1000000000ull
#define DEFAULT_SIZE 56
#define STAMP        8    /* bytes of payload that hold the time of sending */
#define SEEN         1024 /* sequence numbers that are remembered, to tell duplicates */

struct pinging {
    struct icmp_pinger pinger;
    uint32_t host;
    uint64_t count, interval, size, wait; /* count 0: without end */
    bool quiet;
    uint64_t sent, received, duplicates;
    uint64_t least, most, sum; /* microseconds */
    uint64_t squares;          /* of microseconds */
    uint64_t times;            /* that went into these */
    uint8_t seen[SEEN / 8];
};

static uint64_t ping_square_root(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 62; bit; bit >>= 2) {
        if (n >= root + bit) {
            n -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

/* Whether a reply to SEQUENCE came before. */
static bool ping_was_seen(struct pinging *p, uint16_t sequence)
{
    uint8_t *byte = &p->seen[sequence % SEEN / 8], bit = (uint8_t)(1u << sequence % 8);
    bool before = *byte & bit;

    *byte |= bit;
    return before;
}

static void ping_take_time(struct pinging *p, uint64_t us)
{
    p->least = p->times == 0 || us < p->least ? us : p->least;
    p->most = us > p->most ? us : p->most;
    p->sum += us;
    p->squares += us * us;
    p->times++;
}

static void ping_show(struct pinging *p, const struct icmp_echo *echo)
{
    uint64_t us = echo->arrived > echo->sent ? (echo->arrived - echo->sent) / 1000 : 0;
    bool timed = p->size >= STAMP, duplicate = ping_was_seen(p, echo->sequence);
    char host[WIRE_ADDRESS_TEXT];
    struct shell_gather line = {.used = 0};

    if (duplicate)
        p->duplicates++;
    else
        p->received++;
    if (timed)
        ping_take_time(p, us);
    if (p->quiet)
        return;
    shell_gather_printf(&line, "%zu bytes from %s: icmp_seq=%u ttl=%u", echo->length,
                        wire_address_text(echo->source, host), echo->sequence, echo->ttl);
    if (timed)
        shell_gather_printf(&line, " time=%llu.%03llu ms", (unsigned long long)(us / 1000),
                            (unsigned long long)(us % 1000));
    shell_gather_printf(&line, "%s%s\n", duplicate ? " (DUP!)" : "",
                        echo->intact ? "" : " (data damaged)");
    shell_gather_flush(&line);
}

/* Replies until DEADLINE, or until none is missing if that ENDS it; false after ^C. */
static bool ping_listen(struct pinging *p, uint64_t deadline, bool ends)
{
    struct icmp_echo echo;

    while (!ends || p->received < p->sent) {
        int error = icmp_await(&p->pinger, deadline, &echo);

        if (error == -ETIMEDOUT)
            return true;
        if (error != 0)
            return false;
        ping_show(p, &echo); /* first: it has been received */
        if (shell_interrupted())
            return false;
    }
    return true;
}

static void ping_send(struct pinging *p)
{
    uint16_t sequence = (uint16_t)p->sent;
    int error;

    p->seen[sequence % SEEN / 8] &= (uint8_t)~(1u << sequence % 8);
    error = icmp_ping(&p->pinger, p->host, sequence, p->size);
    p->sent++;
    if (error != 0)
        shell_printf("ping: sendto: %s\n", error == -ENETUNREACH ? "No route to host"
                                           : error == -ENETDOWN  ? "Network is down"
                                                                 : "No buffer space available");
}

/* Also after ^C. */
static void ping_summary(const struct pinging *p)
{
    uint64_t lost = p->sent - p->received, rate = p->sent ? lost * 1000 / p->sent : 0;
    uint64_t mean = p->times ? p->sum / p->times : 0;
    uint64_t square = p->times ? p->squares / p->times : 0;
    uint64_t deviation = square > mean * mean ? ping_square_root(square - mean * mean) : 0;
    char host[WIRE_ADDRESS_TEXT], duplicates[48] = "", text[320];
    size_t used;

    if (p->duplicates)
        format(duplicates, sizeof duplicates, "+%llu duplicates, ",
               (unsigned long long)p->duplicates);
    used = format(text, sizeof text,
                  "\n--- %s ping statistics ---\n"
                  "%llu packets transmitted, %llu packets received, %s%llu.%llu%% packet loss\n",
                  wire_address_text(p->host, host), (unsigned long long)p->sent,
                  (unsigned long long)p->received, duplicates, (unsigned long long)(rate / 10),
                  (unsigned long long)(rate % 10));
    shell_write_last(text, used);
    if (p->times == 0)
        return;
    used = format(text, sizeof text,
                  "round-trip min/avg/max/stddev = %llu.%03llu/%llu.%03llu/%llu.%03llu/"
                  "%llu.%03llu ms\n",
                  (unsigned long long)(p->least / 1000), (unsigned long long)(p->least % 1000),
                  (unsigned long long)(mean / 1000), (unsigned long long)(mean % 1000),
                  (unsigned long long)(p->most / 1000), (unsigned long long)(p->most % 1000),
                  (unsigned long long)(deviation / 1000), (unsigned long long)(deviation % 1000));
    shell_write_last(text, used);
}

static int ping(struct pinging *p)
{
    uint64_t next = clock_now();
    char host[WIRE_ADDRESS_TEXT];
    bool goes_on = true;

    wire_address_text(p->host, host);
    shell_printf("PING %s (%s): %llu data bytes\n", host, host, (unsigned long long)p->size);
    icmp_pinger_open(&p->pinger);
    while (goes_on && !shell_interrupted()) {
        ping_send(p);
        next += p->interval;
        if (p->sent == p->count) {
            goes_on = ping_listen(p, clock_now() + p->wait, true);
            break;
        }
        goes_on = ping_listen(p, next, false);
    }
    icmp_pinger_close(&p->pinger);
    ping_summary(p);
    if (!goes_on || shell_interrupted())
        return STATUS_INTERRUPTED;
    return p->received ? 0 : 2;
}

static int ping_set_option(char **argv, int option, const char *value, struct pinging *p)
{
    switch (option) {
    case 'c':
        return options_number(argv, "count", value, 1, UINT64_MAX, &p->count);
    case 'i':
        return options_interval(argv, value, &p->interval);
    case 's':
        return options_number(argv, "size", value, 0, IPV4_ROOM - ICMP_HEADER, &p->size);
    case 'W':
        return options_number(argv, "time", value, 0, 1000000, &p->wait);
    case 'q':
        p->quiet = true;
        return 0;
    default:
        return STATUS_USAGE;
    }
}

static int ping_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "c:i:s:W:q"};
    struct pinging p = {.interval = SECOND, .size = DEFAULT_SIZE, .wait = 10000};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END)
        if (ping_set_option(argv, option, options.value, &p) != 0)
            return STATUS_USAGE;
    if (options.index != argc - 1)
        return command_usage(argv[0]);
    if (!host_operand(argv[options.index], &p.host)) {
        shell_printf("ping: %s: not an address such as 10.0.2.2\n", argv[options.index]);
        return STATUS_USAGE;
    }
    p.wait *= SECOND / 1000;
    late_start();
    return ping(&p);
}

COMMAND(ping, .name = "ping", .summary = "see whether a host answers",
        .usage = "ping [-q] [-c COUNT] [-i INTERVAL] [-s SIZE] [-W TIME] HOST",
        .description =
            "Sends ICMP echo requests, one a second, until ^C, and prints the replies and a\n"
            "summary. The status is 0 if a reply came, 2 if none did.\n"
            "  -c COUNT     that many requests\n"
            "  -i INTERVAL  one each INTERVAL seconds\n"
            "  -s SIZE      bytes of payload, 0 to 1472; 56 if not given\n"
            "  -W TIME      wait that many milliseconds for the last reply; 10000 if not given\n"
            "  -q           only the summary\n"
            "\n"
            "Example: ping -c 3 10.0.2.2\n",
        .run = ping_run);
