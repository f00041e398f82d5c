/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of interrupt lines, taken while a line and another one behind it interrupt all the time: no
 * part exceeds its whole, whatever comes while a list is read. */
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "shell/commands/shared/interrupt_list.h"
#include "tests/kernel/fake_line.h"
#include "tests/kernel/storm.h"
#include "tests/kernel/until.h"

#define STRIKES 3000

static struct interrupt_line front = {.name = "front"}, behind = {.name = "behind"};
static const struct interrupt_chip chip = {"selftest", false, NULL, NULL, NULL, NULL};

/* As a chip behind a CPU's pin: the pin is counted, then the chip's line is dispatched. */
static void interrupt_list_strike(void)
{
    evcnt_incr(&front.count);
    interrupt_dispatch(&behind);
}

static const struct interrupt_row *row_of(const struct interrupt_list *list,
                                          const struct interrupt_line *line)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].line == line)
            return &list->rows[i];
    return NULL;
}

static int look(void)
{
    const struct interrupt_row *whole, *part;
    struct interrupt_list list;
    uint64_t served, shares = 0, before = evcnt_value(&behind.count);

    SELFTEST_CHECK(interrupt_list_take(&list, "selftest") == 0);
    whole = row_of(&list, &front);
    part = row_of(&list, &behind);
    SELFTEST_CHECK(whole != NULL && part != NULL);
    served = histogram_total(&part->service);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        shares += part->on_cpu[cpu];
    if (part->count < before || part->count > whole->count || served > part->count ||
        shares > part->count || part->spurious > part->count || shares < served)
        return selftest_fail("%lu of %lu: %lu served, %lu spurious, %lu on CPUs",
                             (unsigned long)part->count, (unsigned long)whole->count,
                             (unsigned long)served, (unsigned long)part->spurious,
                             (unsigned long)shares);
    interrupt_list_free(&list);
    return 0;
}

static int interrupt_list_look_often(void)
{
    struct storm storm = {.over = false};
    uint64_t end = until_deadline();
    int status = 0;

    storm_begin(&storm, interrupt_list_strike);
    while (status == 0 && storm.strikes < STRIKES && clock_now() < end)
        status = look();
    storm_end(&storm);
    if (status == 0 && storm.strikes < STRIKES)
        status = selftest_fail("only %u strikes", storm.strikes);
    return status;
}

SELFTEST(interrupt_list, "interrupt-list",
         "of lines that interrupt all the time, no part is listed with more than its whole")
{
    struct fake_device device = {.letter = 'L', .claims = 1};
    int status;

    if (!front.attached) {
        interrupt_line_attach(&front, &chip, 4, false, "selftest", NULL);
        interrupt_line_attach(&behind, &chip, 5, false, "selftest", &front.count);
    }
    SELFTEST_CHECK(fake_establish(&behind, IPL_VM, &device, "selftest") == 0);
    status = interrupt_list_look_often();
    fake_remove(&behind, &device);
    device.claims = 0; /* and with nobody who claims */
    if (status == 0) {
        SELFTEST_CHECK(fake_establish(&behind, IPL_VM, &device, "selftest") == 0);
        status = interrupt_list_look_often();
        fake_remove(&behind, &device);
    }
    return status;
}
