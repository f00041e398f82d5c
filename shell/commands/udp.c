/* SPDX-License-Identifier: BSD-2-Clause */
/* udp: an echo service, and datagrams by hand. */
#include "net/udp.h"
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/host_operand.h"
#include "shell/options.h"
#include "shell/output.h"

#define ECHO_PORT 7
#define SECOND    1000000000ull

static struct evcnt answered = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "udp echo", "answered");
static struct evcnt to_many =
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "udp echo", "broadcasts not answered");
static struct evcnt from_echo =
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "udp echo", "echoes' ports not answered");
static struct evcnt from_nobody =
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "udp echo", "port 0 not answered");
EVCNT_ATTACH_STATIC(answered);
EVCNT_ATTACH_STATIC(to_many);
EVCNT_ATTACH_STATIC(from_echo);
EVCNT_ATTACH_STATIC(from_nobody);

static const char *udp_error_text(int error)
{
    switch (error) {
    case -EMSGSIZE:
        return "Message too long";
    case -ENETUNREACH:
        return "No route to host";
    case -ENETDOWN:
        return "Network is down";
    case -EADDRINUSE:
        return "Address already in use";
    case -ENOMEM:
        return "Cannot allocate memory";
    default:
        return "No buffer space available";
    }
}

static int udp_complain(const char *what, int error)
{
    shell_printf("udp: %s: %s\n", what, udp_error_text(error));
    return 1;
}

/* Where a datagram from PEER that came to PORT counts. Two echoes that answer each other would do
 * so for ever; nobody can be answered at port 0; and many that answer one are a flood. */
static struct evcnt *udp_echo_count(const struct udp_peer *peer, uint16_t port)
{
    if (peer->to_many)
        return &to_many;
    if (peer->port == ECHO_PORT || peer->port == port)
        return &from_echo;
    return peer->port == 0 ? &from_nobody : &answered;
}

/* Sends back what comes until ^C or `stop`. */
static int udp_echo(uint16_t port, uint64_t count)
{
    struct udp_socket socket;
    struct udp_peer peer;
    char *text = kmem_alloc(UDP_ROOM);
    int length = text ? udp_bind(&socket, port) : -ENOMEM;

    if (length != 0) {
        kmem_free(text);
        return udp_complain("echo", length);
    }
    for (uint64_t i = 0; count == 0 || i < count;) {
        struct evcnt *verdict;

        length = udp_receive_from(&socket, &peer, text, UDP_ROOM, WAIT_FOREVER);
        if (length < 0)
            break;
        verdict = udp_echo_count(&peer, port);
        evcnt_incr(verdict);
        if (verdict != &answered)
            continue;
        i++;
        udp_send_to(&socket, &peer, text, (size_t)length); /* what cannot be sent is counted */
    }
    udp_close(&socket);
    kmem_free(text);
    return length < 0 ? STATUS_INTERRUPTED : 0;
}

static void udp_show(const struct udp_peer *peer, const char *text, int length)
{
    struct shell_gather line = {.used = 0};
    char host[WIRE_ADDRESS_TEXT];

    shell_gather_printf(&line, "%d bytes from %s:%u: ", length,
                        wire_address_text(peer->address, host), peer->port);
    for (int i = 0; i < length && i < UDP_ROOM; i++)
        shell_gather_printf(&line, text[i] >= ' ' && text[i] <= '~' ? "%c" : "\\x%02x",
                            (unsigned char)text[i]);
    shell_gather_printf(&line, "\n");
    shell_gather_flush(&line);
}

/* Sends TEXT; with a time to WAIT, prints the first answer: status 0, or 2 if none came. */
static int udp_send(const struct udp_peer *to, const char *text, uint64_t wait)
{
    struct udp_socket socket;
    struct udp_peer peer;
    char *answer = kmem_alloc(UDP_ROOM);
    int error = answer ? udp_bind(&socket, 0) : -ENOMEM;

    if (error != 0) {
        kmem_free(answer);
        return udp_complain("send", error);
    }
    error = udp_send_to(&socket, to, text, strlen(text));
    if (error == 0 && wait)
        error = udp_receive_from(&socket, &peer, answer, UDP_ROOM, clock_now() + wait);
    if (error > 0 || (error == 0 && wait))
        udp_show(&peer, answer, error);
    udp_close(&socket);
    kmem_free(answer);
    if (error == -EINTR)
        return STATUS_INTERRUPTED;
    if (error == -ETIMEDOUT) {
        shell_printf("udp: no answer\n");
        return 2;
    }
    return error < 0 ? udp_complain("send", error) : 0;
}

static int udp_run_echo(int argc, char **argv, uint64_t count)
{
    uint64_t port = ECHO_PORT;

    if (argc > 1 || (argc == 1 && options_number((char *[]){"udp", NULL}, "port", argv[0], 1,
                                                 UINT16_MAX, &port) != 0))
        return argc > 1 ? command_usage("udp") : STATUS_USAGE;
    late_start();
    return udp_echo((uint16_t)port, count);
}

static int udp_run_send(int argc, char **argv, uint64_t wait)
{
    struct udp_peer to;
    uint64_t port;

    if (argc != 3)
        return command_usage("udp");
    if (!host_operand(argv[0], &to.address)) {
        shell_printf("udp: bad address \"%s\"\n", argv[0]);
        return STATUS_USAGE;
    }
    if (options_number((char *[]){"udp", NULL}, "port", argv[1], 1, UINT16_MAX, &port) != 0)
        return STATUS_USAGE;
    to.port = (uint16_t)port;
    late_start();
    return udp_send(&to, argv[2], wait);
}

static int udp_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "c:w:"};
    uint64_t count = 0, wait = 0;
    int option, left;
    char **rest;

    while ((option = options_next(&options)) != OPTIONS_END)
        if (option == OPTIONS_BAD ||
            (option == 'c' ? options_number(argv, "count", options.value, 1, UINT64_MAX, &count)
                           : options_seconds(argv, "time", options.value, &wait)) != 0)
            return STATUS_USAGE;
    left = argc - options.index - 1;
    rest = argv + options.index + 1;
    if (left >= 0 && strcmp(rest[-1], "echo") == 0)
        return udp_run_echo(left, rest, count);
    if (left >= 0 && strcmp(rest[-1], "send") == 0)
        return udp_run_send(left, rest, wait);
    return command_usage(argv[0]);
}

COMMAND(udp, .name = "udp", .summary = "send UDP datagrams, or echo them",
        .usage = "udp [-c COUNT] echo [PORT] | [-w TIME] send HOST PORT TEXT",
        .description =
            "`udp echo` sends back what comes to PORT, 7 if none is given, until ^C or `stop`.\n"
            "It answers no broadcasts, no other echo (port 7, or PORT itself) and nobody at\n"
            "port 0; `vmstat -e` counts these.\n"
            "`udp send` sends TEXT.\n"
            "  -c COUNT  echo only that many datagrams\n"
            "  -w TIME   wait that many seconds for an answer and print it; status 2 if none came\n"
            "\n"
            "Example: udp echo & sleep 0.1; udp -w 1 send 127.0.0.1 7 hello; stop %1\n",
        .run = udp_run);
