/* SPDX-License-Identifier: BSD-2-Clause */
/* ICMP: see icmp.h. */
#include "net/icmp.h"
#include "kernel/time/clock.h"
#include "kernel/base/law.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/ipv4.h"

#define QUOTE_BYTES  8 /* of a packet behind its header, in an error about it */
#define STAMP_BYTES  8
#define PATTERN(at)  ((uint8_t)(at))
#define ECHO_PAYLOAD (IPV4_PAYLOAD + ICMP_HEADER)

enum {
    RECEIVED,
    BAD_SHORT,
    BAD_CHECKSUM,
    ECHOS,
    BROADCASTS,
    ECHO_REPLIES,
    STRAY_REPLIES,
    FULL,
    UNREACHABLE_IN,
    OTHERS,
    REPLIES_OUT,
    ECHOS_OUT,
    UNREACHABLE_OUT
};

static struct evcnt counts[] = {
    [RECEIVED] = NET_COUNTER("icmp", "messages received"),
    [BAD_SHORT] = NET_COUNTER("icmp", "bad: too short for a header"),
    [BAD_CHECKSUM] = NET_COUNTER("icmp", "bad: checksum"),
    [ECHOS] = NET_COUNTER("icmp", "echo requests received"),
    [BROADCASTS] = NET_COUNTER("icmp", "broadcast echo requests not answered"),
    [ECHO_REPLIES] = NET_COUNTER("icmp", "echo replies received"),
    [STRAY_REPLIES] = NET_COUNTER("icmp", "echo replies that nobody awaits"),
    [FULL] = NET_COUNTER("icmp", "echo replies dropped: mailbox full"),
    [UNREACHABLE_IN] = NET_COUNTER("icmp", "destination unreachable received"),
    [OTHERS] = NET_COUNTER("icmp", "messages of another type dropped"),
    [REPLIES_OUT] = NET_COUNTER("icmp", "echo replies sent"),
    [ECHOS_OUT] = NET_COUNTER("icmp", "echo requests sent"),
    [UNREACHABLE_OUT] = NET_COUNTER("icmp", "port unreachable sent"),
};

const struct net_protocol icmp_protocol = {"icmp", counts, sizeof counts / sizeof counts[0]};

LAW_OF_COUNTERS(icmp_in, "icmp-in", "received", LAW_SUM(&counts[RECEIVED]),
                "by kind + dropped by reason", &counts[BAD_SHORT], &counts[BAD_CHECKSUM],
                &counts[ECHOS], &counts[ECHO_REPLIES], &counts[UNREACHABLE_IN], &counts[OTHERS]);
LAW_OF_COUNTERS(icmp_echos, "icmp-echos", "requests received", LAW_SUM(&counts[ECHOS]),
                "replies sent + broadcasts not answered", &counts[REPLIES_OUT],
                &counts[BROADCASTS]);

static LIST_HEAD(, icmp_pinger) pingers = LIST_HEAD_INITIALIZER(pingers);
static struct spinlock pingers_lock = SPINLOCK_INITIALIZER("pingers");

/* The request's own buffer becomes the reply. Options of its header are left out. */
static void icmp_answer(struct net_buffer *buffer, struct wire_icmp icmp)
{
    const struct wire_ipv4 ip = buffer->ip;
    uint8_t *body = buffer->frame + IPV4_PAYLOAD;

    evcnt_incr(&counts[ECHOS]);
    if (ipv4_is_broadcast(ip.destination)) {
        evcnt_incr(&counts[BROADCASTS]);
        net_buffer_put(buffer);
        return;
    }
    memmove(body, buffer->frame + IPV4_OFFSET + ip.header, ip.payload);
    icmp.type = ICMP_ECHO_REPLY;
    wire_write_icmp(body, ip.payload, &icmp);
    evcnt_incr(&counts[REPLIES_OUT]);
    ipv4_output(buffer, IP_ICMP, ip.destination, ip.source, ip.payload);
}

static void icmp_deliver_reply(struct net_buffer *buffer, uint16_t id)
{
    uintptr_t state = spinlock_acquire(&pingers_lock);
    struct icmp_pinger *pinger;
    int error = -ENOENT;

    LIST_FOREACH (pinger, &pingers, all)
        if (pinger->id == id) {
            error = net_mailbox_put(&pinger->replies, buffer);
            break;
        }
    spinlock_release(&pingers_lock, state);
    evcnt_incr(&counts[ECHO_REPLIES]);
    if (error != 0) {
        evcnt_incr(&counts[error == -ENOENT ? STRAY_REPLIES : FULL]);
        net_buffer_put(buffer);
    }
}

void icmp_input(struct net_buffer *buffer)
{
    struct wire_icmp icmp;
    int dropped;

    evcnt_incr(&counts[RECEIVED]);
    switch (wire_read_icmp(buffer->frame + IPV4_OFFSET + buffer->ip.header, buffer->ip.payload,
                           &icmp)) {
    case WIRE_GOOD:
        break;
    case WIRE_SHORT:
        evcnt_incr(&counts[BAD_SHORT]);
        net_buffer_put(buffer);
        return;
    default:
        evcnt_incr(&counts[BAD_CHECKSUM]);
        net_buffer_put(buffer);
        return;
    }
    if (icmp.type == ICMP_ECHO) {
        icmp_answer(buffer, icmp);
        return;
    }
    if (icmp.type == ICMP_ECHO_REPLY) {
        icmp_deliver_reply(buffer, icmp.id);
        return;
    }
    dropped = icmp.type == ICMP_UNREACHABLE ? UNREACHABLE_IN : OTHERS;
    evcnt_incr(&counts[dropped]);
    net_buffer_put(buffer);
}

void icmp_port_unreachable(const struct net_buffer *about)
{
    struct wire_icmp icmp = {ICMP_UNREACHABLE, ICMP_UNREACHABLE_PORT, 0, 0};
    size_t quote = about->ip.header + QUOTE_BYTES;
    struct net_buffer *buffer;

    if (ipv4_is_broadcast(about->ip.destination) || !(buffer = net_buffer_get()))
        return;
    memcpy(buffer->frame + ECHO_PAYLOAD, about->frame + IPV4_OFFSET, quote);
    wire_write_icmp(buffer->frame + IPV4_PAYLOAD, ICMP_HEADER + quote, &icmp);
    evcnt_incr(&counts[UNREACHABLE_OUT]);
    ipv4_output(buffer, IP_ICMP, about->ip.destination, about->ip.source, ICMP_HEADER + quote);
}

void icmp_pinger_open(struct icmp_pinger *pinger)
{
    static uint16_t last_id;
    uintptr_t state;

    net_mailbox_init(&pinger->replies, "echo replies");
    state = spinlock_acquire(&pingers_lock);
    pinger->id = ++last_id;
    LIST_INSERT_HEAD(&pingers, pinger, all);
    spinlock_release(&pingers_lock, state);
}

void icmp_pinger_close(struct icmp_pinger *pinger)
{
    uintptr_t state = spinlock_acquire(&pingers_lock);

    LIST_REMOVE(pinger, all);
    spinlock_release(&pingers_lock, state);
    net_mailbox_empty(&pinger->replies);
}

int icmp_ping(struct icmp_pinger *pinger, uint32_t address, uint16_t sequence, size_t size)
{
    struct wire_icmp icmp = {ICMP_ECHO, 0, pinger->id, sequence};
    struct net_buffer *buffer;
    uint64_t now;
    uint8_t *body;

    if (size > IPV4_ROOM - ICMP_HEADER)
        return -EMSGSIZE;
    if (!(buffer = net_buffer_get()))
        return -ENOBUFS;
    body = buffer->frame + ECHO_PAYLOAD;
    for (size_t i = 0; i < size; i++)
        body[i] = PATTERN(i);
    now = clock_now();
    if (size >= STAMP_BYTES) {
        wire_put32(body, (uint32_t)(now >> 32));
        wire_put32(body + 4, (uint32_t)now);
    }
    wire_write_icmp(body - ICMP_HEADER, ICMP_HEADER + size, &icmp);
    evcnt_incr(&counts[ECHOS_OUT]);
    return ipv4_output(buffer, IP_ICMP, ipv4_source(address), address, ICMP_HEADER + size);
}

int icmp_await(struct icmp_pinger *pinger, uint64_t deadline, struct icmp_echo *out)
{
    struct net_buffer *buffer;
    int error = net_mailbox_get(&pinger->replies, deadline, &buffer);
    const uint8_t *p;
    size_t size;

    if (error != 0)
        return error;
    p = buffer->frame + IPV4_OFFSET + buffer->ip.header;
    size = buffer->ip.payload - ICMP_HEADER;
    *out = (struct icmp_echo){.source = buffer->ip.source,
                              .sequence = wire_get16(p + 6),
                              .ttl = buffer->ip.ttl,
                              .arrived = buffer->arrived,
                              .length = buffer->ip.payload,
                              .intact = true};
    p += ICMP_HEADER;
    if (size >= STAMP_BYTES)
        out->sent = (uint64_t)wire_get32(p) << 32 | wire_get32(p + 4);
    for (size_t i = size >= STAMP_BYTES ? STAMP_BYTES : 0; i < size; i++)
        out->intact = out->intact && p[i] == PATTERN(i);
    net_buffer_put(buffer);
    return 0;
}
