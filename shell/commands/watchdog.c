/* SPDX-License-Identifier: BSD-2-Clause */
/* watchdog: lists watchdog timers, and sets one over the interrupts of a device. */
#include "kernel/time/watchdog.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/mutex.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define ROWS_MAX    32
#define MILLISECOND 1000000u

/* Those that this command has made, one for a device. They stay. */
struct guard {
    struct watchdog watchdog;
    struct guard *next;
};
static struct guard *guards;
static kmutex_t guards_lock = {.name = "watchdog guards",
                               .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                               .waiters = WAIT_QUEUE_INITIALIZER(guards_lock.waiters)};

struct rows {
    unsigned count;
    struct row {
        const char *device;
        bool set;
        uint64_t period, bites;
    } row[ROWS_MAX];
};

static void watchdog_take_row(const struct watchdog *w, void *argument)
{
    struct rows *rows = argument;

    if (rows->count < ROWS_MAX)
        rows->row[rows->count++] =
            (struct row){w->count.ev_group, w->set, w->period, evcnt_value(&w->count)};
}

static int watchdog_list(void)
{
    struct rows rows = {.count = 0};

    watchdog_each(watchdog_take_row, &rows);
    shell_printf("%-12s %-5s %10s %10s\n", "device", "state", "ms", "bites");
    while (rows.count > 0) {
        const struct row *row = &rows.row[--rows.count];

        shell_printf("%-12s %-5s %10llu %10llu\n", row->device, row->set ? "set" : "off",
                     (unsigned long long)(row->period / MILLISECOND),
                     (unsigned long long)row->bites);
    }
    return 0;
}

/* DEVICE's, which counts its interrupts. */
static const struct interrupt_handler *watchdog_handler_of(const char *device)
{
    struct interrupt_line *line = NULL;

    while ((line = interrupt_line_next(line)) != NULL) {
        for (const struct interrupt_handler *h = line->handlers; h != NULL; h = h->next) {
            if (!line->chip->soft && strcmp(h->count.ev_group, device) == 0)
                return h;
        }
    }
    return NULL;
}

/* guards_lock held. */
static struct guard *watchdog_guard_of(const struct interrupt_handler *handler)
{
    struct guard *guard = guards;

    while (guard != NULL && guard->watchdog.handler != handler)
        guard = guard->next;
    if (guard != NULL)
        return guard;
    guard = kmem_zalloc(sizeof(*guard));
    if (guard == NULL)
        return NULL;
    guard->watchdog.progress = &handler->count;
    guard->watchdog.handler = handler;
    guard->watchdog.repeat = true;
    watchdog_establish(&guard->watchdog, handler->count.ev_group, NULL, NULL);
    guard->next = guards;
    guards = guard;
    return guard;
}

static int watchdog_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    const struct interrupt_handler *handler;
    struct guard *guard;
    uint64_t ns = 0;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (argc == 1)
        return watchdog_list();
    if (options.index != argc - 2)
        return command_usage(argv[0]);
    argv += options.index - 1;
    if (strcmp(argv[2], "off") != 0 && options_interval(argv, argv[2], &ns) != 0)
        return STATUS_USAGE;
    handler = watchdog_handler_of(argv[1]);
    if (handler == NULL) {
        shell_printf("watchdog: no device named \"%s\" has an interrupt\n", argv[1]);
        return 1;
    }
    mutex_enter(&guards_lock);
    guard = watchdog_guard_of(handler);
    mutex_exit(&guards_lock);
    if (guard == NULL) {
        shell_printf("watchdog: no memory\n");
        return 1;
    }
    if (ns == 0)
        watchdog_clear(&guard->watchdog);
    else
        watchdog_set(&guard->watchdog, ns);
    return 0;
}

COMMAND(
    watchdog, .name = "watchdog", .summary = "list or set watchdog timers",
    .usage = "watchdog [DEVICE SECONDS | DEVICE off]",
    .description =
        "Alone it lists them: whose they are, their time, and how often it has run out.\n"
        "With DEVICE and a time, one watches over DEVICE's interrupts from now on: each time\n"
        "that none has come for SECONDS it counts, as DEVICE watchdog in vmstat -e and as\n"
        "watchdog in the kstat of the interrupt line. Drivers set others for themselves.\n"
        "\n"
        "Example: watchdog com0 0.5; sleep 2; watchdog; kstat -p -s watchdog; watchdog com0 off\n",
    .run = watchdog_run);
