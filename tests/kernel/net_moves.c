/* SPDX-License-Identifier: BSD-2-Clause */
/* What the protocols count: see net_moves.h. */
#include "tests/kernel/net_moves.h"
#include "kernel/time/clock.h"
#include "kernel/device/late.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "net/stack.h"

#define COUNTS 16 /* of a protocol, at most */
#define SECOND 1000000000ull

static uint64_t before[NET_PROTOCOLS][COUNTS], expected[NET_PROTOCOLS][COUNTS];
static bool unknown; /* a counter's name */

static uint64_t value(unsigned protocol, size_t n)
{
    return evcnt_value(&net_protocols[protocol]->counts[n]);
}

void net_moves_begin(void)
{
    late_start();
    memset(expected, 0, sizeof expected);
    unknown = false;
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count && n < COUNTS; n++)
            before[p][n] = value(p, n);
}

void net_moves_expect(const char *protocol, const char *text, uint64_t times)
{
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count; n++)
            if (strcmp(net_protocols[p]->name, protocol) == 0 &&
                strncmp(net_protocols[p]->counts[n].ev_name, text, strlen(text)) == 0) {
                expected[p][n] += times;
                return;
            }
    unknown = true;
}

static bool all_came(unsigned *protocol, size_t *which)
{
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count; n++)
            if (value(p, n) - before[p][n] != expected[p][n]) {
                *protocol = p;
                *which = n;
                return false;
            }
    return true;
}

int net_moves_check_now(void)
{
    unsigned p = 0;
    size_t n = 0;

    SELFTEST_CHECK(!unknown);
    if (!all_came(&p, &n))
        return selftest_fail(
            "%s: %s: %lu, not %lu", net_protocols[p]->name, net_protocols[p]->counts[n].ev_name,
            (unsigned long)(value(p, n) - before[p][n]), (unsigned long)expected[p][n]);
    return 0;
}

int net_moves_check(void)
{
    uint64_t end = clock_now() + SECOND;
    unsigned p;
    size_t n;

    while (!all_came(&p, &n) && clock_now() < end)
        thread_yield();
    return net_moves_check_now();
}

void net_moves_take_back(void)
{
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count; n++) /* a test may */
            net_protocols[p]->counts[n].ev_count -= value(p, n) - before[p][n];
}

struct net_buffer *net_moves_packet(struct net_interface *interface, size_t length)
{
    struct net_buffer *buffer = net_buffer_get();

    if (!buffer)
        return NULL;
    memset(buffer->frame, 0, ETHERNET_MAX);
    buffer->interface = interface;
    buffer->length = (uint32_t)(ETHERNET_HEADER + length);
    return buffer;
}
