/* SPDX-License-Identifier: BSD-2-Clause */
/* The five kinds of interrupts in the kstats of lines: no interrupt is in two of them, however many
 * lines a device has, and whether or not it has soft interrupts and a watchdog. */
#include <kstat.h>
#include "kernel/export/kstat_refresh.h"
#include "tests/kernel/selftest.h"
#include "kernel/interrupt/softint.h"
#include "kernel/thread/thread.h"
#include "kernel/time/watchdog.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"
#include "tests/kernel/until.h"

#define DEVICE "kinds"
#define LINES  4

static const char *const names[LINES] = {"line0", "line1", "softclock", "pin"};
static struct fake_device device_a = {.letter = 'A', .claims = 1}, device_b = {.letter = 'B'},
                          other = {.letter = 'C', .claims = 1};
static struct softint soft;
static struct watchdog dog;
static volatile unsigned soft_runs;
static struct interrupt_line pin = {.name = "pin"}, behind = {.name = "behind"};
static const struct interrupt_chip chip = {"selftest", false, NULL, NULL, NULL, NULL};

static void soft_run(void *unused)
{
    (void)unused;
    soft_runs = soft_runs + 1;
}

static int read_kinds(kstat_intr_t *kinds)
{
    kstat_ctl_t *kc;

    kstat_refresh();
    kc = kstat_open();
    SELFTEST_CHECK(kc != NULL);
    for (unsigned i = 0; i < LINES; i++) {
        const char *module = strcmp(names[i], "softclock") == 0 ? "cpu" : "selftest";
        kstat_t *ksp = kstat_lookup(kc, (char *)(uintptr_t)module, 0, (char *)(uintptr_t)names[i]);

        SELFTEST_CHECK(ksp != NULL && kstat_read(kc, ksp, &kinds[i]) != -1);
    }
    kstat_close(kc);
    return 0;
}

static void deliver(unsigned times, int a, int b)
{
    device_a.claims = a;
    device_b.claims = b;
    while (times-- > 0)
        fake_interrupt(fake_line(1));
}

static int interrupt_all(void)
{
    uint64_t end = until_deadline();

    deliver(5, 1, 0);
    deliver(3, 0, 1);
    deliver(2, 1, 1);
    deliver(4, 0, 0);
    for (unsigned i = 0; i < 6; i++)
        fake_interrupt(fake_line(0));
    for (unsigned i = 0; i < 7; i++) {
        evcnt_incr(&pin.count); /* as a CPU's pin */
        fake_interrupt(&behind);
    }
    for (unsigned i = 1; i <= 8; i++) {
        softint_schedule(&soft);
        SELFTEST_CHECK(until_at_least(&soft_runs, i));
    }
    watchdog_set(&dog, 1000);
    while (evcnt_value(&dog.count) == 0 && clock_now() < end)
        thread_yield();
    SELFTEST_EQUAL(evcnt_value(&dog.count), 1);
    return 0;
}

static int check(const kstat_intr_t *before, const kstat_intr_t *after)
{
    static const uint_t wanted[LINES][KSTAT_NUM_INTRS] = {
        /* hard, soft, watchdog, spurious, multiple service */
        {6, 0, 1, 0, 0},  /* the device's first line */
        {10, 0, 0, 4, 2}, /* 14 deliveries of which nobody claimed 4, and 2 interrupts more */
        {0, 8, 0, 0, 0},
        {0, 0, 0, 0, 0}, /* all of them led to another line */
    };

    for (unsigned i = 0; i < LINES; i++)
        for (unsigned kind = 0; kind < KSTAT_NUM_INTRS; kind++)
            if (after[i].intrs[kind] - before[i].intrs[kind] != wanted[i][kind])
                return selftest_fail("%s, kind %u: %u for %u", names[i], kind,
                                     after[i].intrs[kind] - before[i].intrs[kind], wanted[i][kind]);
    return 0;
}

SELFTEST(kstat_interrupt_kinds, "kstat-interrupt-kinds",
         "hard, soft, watchdog, spurious and multiple service have no interrupt in common")
{
    kstat_intr_t before[LINES], after[LINES];
    int status;

    if (!pin.attached) {
        interrupt_line_attach(&pin, &chip, 6, false, "selftest", NULL);
        interrupt_line_attach(&behind, &chip, 7, false, "selftest", &pin.count);
        softint_establish(&soft, IPL_SOFTCLOCK, soft_run, NULL, DEVICE);
    }
    soft_runs = 0;
    dog = (struct watchdog){.handler = &other.handler};
    watchdog_establish(&dog, DEVICE, NULL, NULL);
    fake_establish(fake_line(0), IPL_VM, &other, DEVICE);
    fake_establish(fake_line(1), IPL_VM, &device_a, DEVICE);
    fake_establish(fake_line(1), IPL_VM, &device_b, DEVICE);
    status = read_kinds(before) || interrupt_all() || read_kinds(after) || check(before, after);
    fake_remove(fake_line(1), &device_b);
    fake_remove(fake_line(1), &device_a);
    fake_remove(fake_line(0), &other);
    watchdog_disestablish(&dog);
    return status;
}
