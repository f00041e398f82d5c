/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of the whole system: see pmc_system.h. */
#include "shell/commands/pmc/pmc_system.h"

#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/mutex.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/pmc/pmc_events.h"
#include "stats/pmc/pmu_class.h"

/* One `pmc start` or `pmc stop` at a time. */
static kmutex_t commands = {.name = "pmc start",
                            .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                            .waiters = WAIT_QUEUE_INITIALIZER(commands.waiters)};
static uint32_t started;                                           /* counters; commands */
static SHARED_BSS struct pmc_counter_cfg cfg_of[PMC_COUNTERS_MAX]; /* commands */

/* What each had counted in the end, whoever ended it. */
static SHARED_BSS uint64_t last_values[PMC_COUNTERS_MAX][CPU_MAX];

/* All of this, as `pmc stop` prints it when others may go on. */
struct ended {
    uint32_t mask, taken_away;
    const struct pmu_owner *taker[PMC_COUNTERS_MAX];
    struct pmc_counter_cfg cfg[PMC_COUNTERS_MAX];
    uint64_t values[PMC_COUNTERS_MAX][CPU_MAX];
};

static void pmc_system_keep(int ctr, unsigned cpu, const struct pmc_cpu_value *value)
{
    last_values[ctr][cpu] = value->value;
}

static void pmc_system_lost(struct lwp *unused, uint32_t mask)
{
    (void)unused;
    pmc_tell_lost_values(mask, pmc_system_keep);
}

static const struct pmu_owner owner = {
    .name = "pmc start", .rank = PMU_RANK_SYSTEM, .system = true, .lost = pmc_system_lost};

/* Ends them all, and tells which were taken away before: of these, too, the last values are there.
 */
static uint32_t pmc_system_end(uint32_t *taken_away)
{
    uint32_t mask = started;

    *taken_away = mask & ~pmc_give_all(&owner, mask, pmc_system_keep);
    while (pmu_owner_are_changing(*taken_away))
        (void)thread_sleep(1000000); /* who is just taking one tells its values */
    started = 0;
    return mask;
}

static void pmc_system_add_started(uint32_t mask, const struct pmc_counter_cfg *cfgs)
{
    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1)
            cfg_of[ctr] = *cfgs++;
    started |= mask;
}

/* Whose counter CTR is. */
static unsigned pmc_system_event_on(const struct pmc_events *events, int ctr)
{
    unsigned e = 0;

    while (pmu_plan_assignment(&events->plan, events->list, 0, e).counter != ctr)
        e++;
    return e;
}

/* All of them, or none. */
static int pmc_system_start_all(const struct pmc_events *events, struct pmu_refusal *refusal)
{
    struct pmc_counter_cfg cfgs[PMC_COUNTERS_MAX] = {{0}};
    uint32_t mask = 0;
    unsigned count = 0;
    int error;

    for (unsigned e = 0; e < events->count; e++)
        mask |= 1u << pmu_plan_assignment(&events->plan, events->list, 0, e).counter;
    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1) {
            unsigned e = pmc_system_event_on(events, ctr);

            cfgs[count++] = (struct pmc_counter_cfg){
                pmu_plan_assignment(&events->plan, events->list, 0, e).code, 0,
                events->list[e].modes};
        }
    mutex_enter(&commands);
    error = pmc_take(&owner, mask, cfgs, PMU_IF_FREE, refusal);
    if (error == 0)
        pmc_system_add_started(mask, cfgs);
    mutex_exit(&commands);
    return error;
}

static int pmc_system_tell_started(const char *name, const struct pmc_events *events, int error,
                                   const struct pmu_refusal *refusal)
{
    unsigned refused = 0;

    if (error == 0) {
        for (unsigned e = 0; e < events->count; e++)
            shell_printf("Counter #%d started\n",
                         pmu_plan_assignment(&events->plan, events->list, 0, e).counter);
        return 0;
    }
    if (refusal->counter >= 0)
        refused = pmc_system_event_on(events, refusal->counter);
    return pmc_events_refused_by(name, events->list[refused].text, error, refusal);
}

static int pmc_system_complain_kind(const char *name, const struct pmu_event_request *request)
{
    shell_printf("%s: %s: counted for threads only (ENODEV)\n", name, request->text);
    return 1;
}

static int pmc_system_read_events(int argc, char **argv, struct pmc_events *events)
{
    int status;

    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], ':') == NULL) {
            shell_printf("%s: %s: no modes (:u, :k or :uk) behind the event\n", argv[0], argv[i]);
            return STATUS_USAGE;
        }
        status = pmc_events_add(argv[0], argv[i], false, events);
        if (status != 0)
            return status;
    }
    for (unsigned e = 0; e < events->count; e++)
        if (events->list[e].kind != PMU_EVENT_COUNTED)
            return pmc_system_complain_kind(argv[0], &events->list[e]);
    status = pmc_events_supported(argv[0], events);
    return status != 0 ? status : pmc_events_plan(argv[0], events, 1);
}

int pmc_system_start(int argc, char **argv)
{
    struct pmc_events *events;
    struct pmu_refusal refusal;
    int status;

    if (argc < 2)
        return pmc_events_usage(argv[0], "no event");
    pmc_events_ready();
    events = kmem_zalloc(sizeof *events);
    if (events == NULL)
        return pmc_events_refused(argv[0], argv[1], ENOMEM);
    status = pmc_system_read_events(argc, argv, events);
    if (status == 0)
        status = pmc_system_tell_started(argv[0], events, pmc_system_start_all(events, &refusal),
                                         &refusal);
    kmem_free(events);
    return status;
}

/* The event and its modes, as `pmc start` takes them. */
static void pmc_system_put_event(struct pmc_counter_cfg cfg)
{
    static const struct {
        uint32_t bit;
        char letter;
    } modes[] = {
        {PMC_MODE_U, 'u'},
        {PMC_MODE_K, 'k'},
        {PMC_MODE_S, 's'},
    };
    const struct pmu_event *event = pmu_event_find(cfg.event_id, NULL);

    shell_printf("%s:", event != NULL ? event->name : "?");
    if (cfg.flags == 0)
        shell_printf("uk");
    if (cfg.flags == PMC_MODE_EXL)
        shell_printf("e");
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        if (cfg.flags & modes[i].bit)
            shell_printf("%c", modes[i].letter);
    shell_printf("\n");
}

/* A column of 16, or more if the value is that long. */
static void pmc_system_put_value(uint64_t value)
{
    char digits[24];
    size_t length = (size_t)format(digits, sizeof digits, "%llu", (unsigned long long)value);

    shell_printf("%s%s", digits, length < 8 ? "\t\t" : length < 16 ? "\t" : " ");
}

static void pmc_system_print_counters(const struct ended *ended)
{
    shell_printf("Counter\t\t");
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        shell_printf("cpu%u\t\t", cpu);
    shell_printf("event\n-------\t\t");
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        shell_printf("----\t\t");
    shell_printf("-----\n");
    for (int ctr = 0; ended->mask >> ctr != 0; ctr++) {
        if (!(ended->mask >> ctr & 1))
            continue;
        shell_printf("%d\t\t", ctr);
        for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
            pmc_system_put_value(ended->values[ctr][cpu]);
        pmc_system_put_event(ended->cfg[ctr]);
    }
}

static void pmc_system_stop_all(struct ended *ended)
{
    mutex_enter(&commands);
    ended->mask = pmc_system_end(&ended->taken_away);
    for (int ctr = 0; ended->taken_away >> ctr != 0; ctr++)
        if (ended->taken_away >> ctr & 1)
            ended->taker[ctr] = pmu_owner_taker(ctr);
    memcpy(ended->cfg, cfg_of, sizeof ended->cfg);
    memcpy(ended->values, last_values, sizeof ended->values);
    mutex_exit(&commands);
}

static int pmc_system_tell_stopped(const char *name, const struct ended *ended)
{
    if (ended->mask == 0) {
        shell_printf("%s: no counter was started (ENXIO)\n", name);
        return 1;
    }
    pmc_system_print_counters(ended);
    for (int ctr = 0; ended->mask >> ctr != 0; ctr++) {
        if (ended->taken_away >> ctr & 1)
            shell_printf("Counter #%d was taken away by %s (EBUSY)\n", ctr,
                         ended->taker[ctr]->name);
        else if (ended->mask >> ctr & 1)
            shell_printf("Counter #%d stopped\n", ctr);
    }
    return 0;
}

int pmc_system_stop(int argc, char **argv)
{
    struct ended *ended;
    int status;

    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    ended = kmem_zalloc(sizeof *ended);
    if (ended == NULL) {
        shell_printf("%s: no memory to stop the counters (ENOMEM)\n", argv[0]);
        return 1;
    }
    pmc_system_stop_all(ended);
    status = pmc_system_tell_stopped(argv[0], ended);
    kmem_free(ended);
    return status;
}

int pmc_system_cancel(void)
{
    uint32_t taken_away;

    mutex_enter(&commands);
    (void)pmc_system_end(&taken_away);
    mutex_exit(&commands);
    return 0;
}
