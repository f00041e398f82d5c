/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads' counters as kstats say what was counted, to the event: user instructions of a loop of
 * known length, which nothing else adds to.
 */
#include <arch/interrupt_flag.h>
#include <kstat.h>
#include <sys/pmc.h>
#include "kernel/memory/kmem.h"
#include "kernel/export/kstat_refresh.h"
#include "kernel/pmc/pmu_set.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/pmu_measure.h"
#include "tests/kernel/until.h"

#define TURNS   1000u
#define EVENTS  (CODE_LOOP_TURN * TURNS + CODE_LOOP_MORE + CODE_USER_STUB) /* of a run */
#define PERIOD  100u
#define RUNS    200u /* through several ticks */
#define CHURN   40u
#define NOTHING UINT64_MAX

#ifdef __mips__
#define ON_CYCLES   0
#define CODE_CYCLES 0u
#else
#define ON_CYCLES   1
#define CODE_CYCLES 0x3cu
#endif

/* One run of the loop. Nobody else is in user mode meanwhile, on this CPU. */
static bool run_loop(void)
{
    uintptr_t state = interrupts_save();
    bool back = pmu_code_user(USER_MODE_USER, TURNS);

    interrupts_restore(state);
    return back;
}

/* The statistic of the thread's kstat, as a new reader finds it; NOTHING: there is none. */
static uint64_t kstat_pmc_value_of(uint32_t id, const char *statistic)
{
    uint64_t value = NOTHING;
    const kstat_named_t *record;
    kstat_ctl_t *kc;
    kstat_t *ksp;

    kstat_refresh();
    kc = kstat_open();
    ksp = kc != NULL ? kstat_lookup(kc, "pmc", (int)id, "thread") : NULL;
    if (ksp != NULL && strcmp(ksp->ks_class, "pmc") == 0 && kstat_read(kc, ksp, NULL) != -1) {
        record = kstat_data_lookup(ksp, statistic);
        if (record != NULL && record->data_type == KSTAT_DATA_UINT64)
            value = record->value.ui64;
    }
    kstat_close(kc);
    return value;
}

static int count(int ctr, uint32_t code, uint64_t period, uint32_t modes)
{
    struct pmc_counter_cfg cfg = {code, period, modes};
    int error = pmc_configure_counter(curlwp, ctr, &cfg);

    return error ? error : pmc_enable_counter(curlwp, ctr);
}

static int check_own(void)
{
    uint32_t own = thread_current()->id;
    uint64_t value;

    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u"), NOTHING);
    SELFTEST_EQUAL(count(ON_INSTRUCTIONS, CODE_INSTRUCTIONS, 0, PMC_MODE_U), 0);
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u"), 0);
    for (unsigned n = 1; n <= 3; n++) {
        SELFTEST_CHECK(run_loop());
        SELFTEST_EQUAL(pmc_get_counter_value(curlwp, ON_INSTRUCTIONS, 0, &value), 0);
        SELFTEST_EQUAL(value, n * EVENTS);
        SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u"), n * EVENTS);
    }
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u_children"), 0);
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u_overflows"), NOTHING);
    SELFTEST_EQUAL(pmc_disable_counter(curlwp, ON_INSTRUCTIONS), 0);
    SELFTEST_CHECK(run_loop());
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u"), 3 * EVENTS);
    SELFTEST_EQUAL(count(ON_INSTRUCTIONS, CODE_INSTRUCTIONS, PERIOD, PMC_MODE_U), 0);
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u"), 0);
    SELFTEST_CHECK(run_loop());
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u"), EVENTS);
    SELFTEST_EQUAL(kstat_pmc_value_of(own, "instructions.u_overflows"), EVENTS / PERIOD);
    return 0;
}

/* The rest is the caller's: without user pages, and with nothing configured. */
static int with_loop(int (*check)(void))
{
    int result;

    if (!pmu_hardware() || !pmu_event_find(CODE_INSTRUCTIONS, NULL)->supported)
        return selftest_skip("no hardware counters");
    SELFTEST_EQUAL(pmu_code_user_prepare(&pmu_code_loop, 0), 0);
    result = check();
    pmu_code_user_done();
    for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++)
        (void)pmc_release_counter(curlwp, ctr);
    if (result == 0)
        SELFTEST_EQUAL(kstat_pmc_value_of(thread_current()->id, "instructions.u"), NOTHING);
    return result;
}

SELFTEST(kstat_pmc_own, "kstat-pmc-own",
         "a thread's kstat says what it counted, comes with its first counter and goes")
{
    return with_loop(check_own);
}

/* --- another thread: running, asleep, ended --- */

static volatile unsigned step, leave_step;
static volatile bool child_failed;

static void kstat_pmc_child_work(void *unused)
{
    (void)unused;
    child_failed = !run_loop() || !run_loop();
    step = 1;
    while (leave_step < 1)
        thread_yield(); /* on a CPU, if there is one for it */
    step = 2;
    while (leave_step < 2)
        thread_sleep(1000000);
}

/* Between two readings by pmc(9), and no less than the last time. */
static int check_moving(struct thread *thread, uint64_t *last)
{
    uint64_t before, between, after;

    SELFTEST_EQUAL(pmc_get_counter_value(&thread->lwp, ON_CYCLES, 0, &before), 0);
    between = kstat_pmc_value_of(thread->id, "cycles");
    SELFTEST_EQUAL(pmc_get_counter_value(&thread->lwp, ON_CYCLES, 0, &after), 0);
    if (before < *last || between < before || after < between)
        return selftest_fail("cycles: %lu, %lu, by kstat %lu, %lu", (unsigned long)*last,
                             (unsigned long)before, (unsigned long)between, (unsigned long)after);
    *last = after;
    return 0;
}

static int look_at(struct thread *thread)
{
    uint64_t last = 0;

    for (unsigned phase = 1; phase <= 2; phase++) {
        SELFTEST_CHECK(until_at_least(&step, phase));
        for (unsigned i = 0; i < 20; i++) {
            SELFTEST_EQUAL(kstat_pmc_value_of(thread->id, "instructions.u"), 2 * EVENTS);
            if (check_moving(thread, &last) != 0)
                return 1;
        }
        leave_step = phase;
    }
    return 0;
}

static int check_child(void)
{
    kstat_t *ksp = NULL;
    struct thread *thread;
    kstat_ctl_t *kc;
    uint32_t id;
    int result;

    step = leave_step = 0;
    SELFTEST_EQUAL(count(ON_INSTRUCTIONS, CODE_INSTRUCTIONS, 0, PMC_MODE_U), 0);
    SELFTEST_EQUAL(count(ON_CYCLES, CODE_CYCLES, 0, 0), 0);
    SELFTEST_CHECK(run_loop());
    SELFTEST_EQUAL(
        thread_create("child", THREAD_PRIORITY_NORMAL, kstat_pmc_child_work, NULL, &thread), 0);
    id = thread->id;
    result = look_at(thread);
    kc = kstat_open(); /* who has found it while the thread was there, and reads it afterwards */
    ksp = kc != NULL ? kstat_lookup(kc, "pmc", (int)id, "thread") : NULL;
    leave_step = 2;
    thread_join(thread);
    if (result == 0 && (ksp == NULL || kstat_read(kc, ksp, NULL) != -1 || kstat_errno != ENXIO))
        result = selftest_fail("an ended thread's kstat: error %d", kstat_errno);
    kstat_close(kc);
    if (result != 0)
        return result;
    SELFTEST_CHECK(!child_failed);
    SELFTEST_EQUAL(kstat_pmc_value_of(id, "instructions.u"), NOTHING);
    SELFTEST_EQUAL(kstat_pmc_value_of(thread_current()->id, "instructions.u"), EVENTS);
    SELFTEST_EQUAL(kstat_pmc_value_of(thread_current()->id, "instructions.u_children"), 2 * EVENTS);
    return 0;
}

SELFTEST(kstat_pmc_child, "kstat-pmc-child",
         "the kstat of another thread is right while it runs, sleeps, and has ended")
{
    return with_loop(check_child);
}

/* --- sets of events --- */

static struct pmu_event_request requests[PMU_EVENTS_MAX];
static struct pmu_plan plan;
static struct pmu_set_values set_values;

static const char *name_of(char *name, unsigned event, const char *suffix)
{
    if (event == 0)
        format(name, KSTAT_STRLEN, "instructions.u%s", suffix);
    else
        format(name, KSTAT_STRLEN, "instructions.u.%u%s", event + 1, suffix);
    return name;
}

/* What the kstats of its threads say, the ended ones' included, goes to SUMS; and whether times are
 * possible. */
static int add_up(unsigned events, uint32_t other, uint64_t *sums)
{
    uint32_t own = thread_current()->id;
    uint64_t enabled, running, enabled_later;
    char name[KSTAT_STRLEN];

    for (unsigned e = 0; e < events; e++) {
        sums[e] = kstat_pmc_value_of(own, name_of(name, e, "")) + kstat_pmc_value_of(other, name) +
                  kstat_pmc_value_of(own, name_of(name, e, "_children"));
        SELFTEST_EQUAL(kstat_pmc_value_of(other, name), NOTHING); /* only who has started the set */
        enabled = kstat_pmc_value_of(own, name_of(name, e, "_enabled"));
        running = kstat_pmc_value_of(own, name_of(name, e, "_running"));
        enabled_later = kstat_pmc_value_of(own, name_of(name, e, "_enabled"));
        SELFTEST_CHECK(running <= enabled_later && enabled <= enabled_later);
        SELFTEST_CHECK(plan.slices > 1 || running >= enabled);
    }
    return 0;
}

static void brief_child(void *unused)
{
    (void)unused;
    child_failed = child_failed || !run_loop();
}

static int check_set(unsigned events)
{
    struct pmu_refusal refusal;
    static const char one[] = "instructions:u,";
    char list[PMU_EVENTS_MAX * sizeof one] = "";
    struct pmu_event_error error;
    struct thread *thread;
    struct pmu_set *set;
    uint64_t sums[PMU_EVENTS_MAX];
    unsigned bad;
    int result;

    for (unsigned e = 0; e < events; e++)
        strlcpy(list + strlen(list), one, sizeof one);
    list[strlen(list) - 1] = '\0';
    SELFTEST_EQUAL(pmu_event_list(list, requests, PMU_EVENTS_MAX, &error), events);
    SELFTEST_CHECK(pmu_plan_make(&plan, requests, events, pmu_set_free_counters()) < 0);
    SELFTEST_EQUAL(pmu_set_start(&set, requests, events, &plan, &bad, &refusal), 0);
    step = leave_step = 0;
    child_failed = false;
    result = crowd_run(1, brief_child, NULL);
    if (result == 0)
        result =
            thread_create("child", THREAD_PRIORITY_NORMAL, kstat_pmc_child_work, NULL, &thread);
    if (result == 0) {
        for (unsigned n = 0; n < RUNS; n++) /* ticks come meanwhile */
            child_failed = !run_loop() || child_failed;
        result = until_at_least(&step, 1) ? add_up(events, thread->id, sums) : 1;
        leave_step = 2;
        thread_join(thread);
    }
    pmu_set_stop(set);
    (void)pmu_set_read(set, &set_values);
    pmu_set_free(set);
    SELFTEST_CHECK(!child_failed);
    for (unsigned e = 0; result == 0 && e < events; e++) {
        SELFTEST_EQUAL(sums[e], set_values.event[e].count);
        if (plan.slices == 1)
            SELFTEST_EQUAL(sums[e], (RUNS + 3) * EVENTS);
    }
    return result;
}

static int check_sets(void)
{
    int result = check_set(1);

    return result ? result : check_set(10);
}

SELFTEST(kstat_pmc_set, "kstat-pmc-set",
         "the kstats of a set's threads add up to what the set says, with turns and without")
{
    return with_loop(check_sets);
}

/* --- many that come and go while they are looked at --- */

static volatile bool busy;

static void kstat_pmc_come_and_go(void *unused)
{
    struct thread *thread;

    (void)unused;
    for (unsigned n = 0; n < CHURN; n++) {
        (void)count(ON_INSTRUCTIONS, CODE_INSTRUCTIONS, 0, PMC_MODE_U);
        if (thread_create("brief", THREAD_PRIORITY_NORMAL, (void (*)(void *))thread_yield, NULL,
                          &thread) == 0)
            thread_join(thread);
        (void)pmc_release_counter(curlwp, ON_INSTRUCTIONS);
    }
}

static void kstat_pmc_look(void *unused)
{
    (void)unused;
    while (busy) {
        kstat_ctl_t *kc;

        kstat_refresh();
        kc = kstat_open();
        for (kstat_t *ksp = kc ? kc->kc_chain : NULL; ksp != NULL; ksp = ksp->ks_next)
            if (strcmp(ksp->ks_module, "pmc") == 0)
                (void)kstat_read(kc, ksp, NULL);
        kstat_close(kc);
        thread_yield();
    }
}

static int churn(void)
{
    struct thread *lookers[2];
    unsigned started = 0;
    int result;

    busy = true;
    while (started < 2 && thread_create("looker", THREAD_PRIORITY_NORMAL, kstat_pmc_look, NULL,
                                        &lookers[started]) == 0)
        started++;
    result = crowd_run(4, kstat_pmc_come_and_go, NULL);
    busy = false;
    for (unsigned i = 0; i < started; i++)
        thread_join(lookers[i]);
    kstat_refresh();
    return result;
}

/* Objects and pages of kmem that are in use. */
static uint64_t memory_in_use(void)
{
    struct kmem_class_stats classes[16];
    size_t count = kmem_stats_get(classes, 16);
    uint64_t sum = 0;

    for (size_t i = 0; i < count && i < 16; i++)
        sum += classes[i].in_use;
    return sum;
}

#define CHURNS 6

/* Each time after the first gives back what it takes, but for what is kept for next time when more
 * were there at once than ever before: that ends. */
SELFTEST(kstat_pmc_churn, "kstat-pmc-churn",
         "threads that come and go while their kstats are read leave none, and no memory")
{
    uint64_t before = 0, after = 0;
    unsigned times = 0, left = 0;
    kstat_ctl_t *kc;

    if (!pmu_hardware())
        return selftest_skip("no hardware counters");
    do {
        before = after;
        if (churn() != 0)
            return 1;
        after = memory_in_use();
    } while (after > before && ++times < CHURNS);
    SELFTEST_CHECK(after <= before);
    kc = kstat_open();
    for (const kstat_t *ksp = kc ? kc->kc_chain : NULL; ksp != NULL; ksp = ksp->ks_next)
        left += strcmp(ksp->ks_module, "pmc") == 0 && strcmp(ksp->ks_name, "thread") == 0;
    kstat_close(kc);
    SELFTEST_EQUAL(left, 0);
    return 0;
}
