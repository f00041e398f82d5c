/* SPDX-License-Identifier: BSD-2-Clause */
/* kstats of interrupt lines; see kstat_line.h. Lines never go. */
#include "kernel/export/kstat_line.h"
#include <sys/kstat.h>
#include "kernel/block/block.h"
#include "kernel/time/clock.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/block/kstat_service.h"
#include "kernel/device/late.h"
#include "kernel/thread/mutex.h"
#include "kernel/time/watchdog.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

#define INSTANCE_DIGITS 3

static kmutex_t refresh_lock;
static struct interrupt_line *last; /* that has its kstats */

/* How often watchdogs of the line's devices have bitten, and their requests were not answered in
 * time. A device with several lines has told which handler that goes with. */
static uint64_t kstat_line_watchdogs(const struct interrupt_line *line)
{
    uint64_t sum = 0;

    for (const struct interrupt_handler *h = line->handlers; !line->chip->soft && h; h = h->next)
        sum += watchdog_bites(h) + block_timeouts_of(h);
    return sum;
}

/* Whether LINE's interrupts are those of other lines, behind it. */
static bool kstat_line_leads_on(const struct interrupt_line *line)
{
    struct interrupt_line *other = NULL;

    while ((other = interrupt_line_next(other)) != NULL && other->count.ev_parent != &line->count)
        ;
    return other != NULL;
}

/* The parts of the line's count are read before it. */
static int kstat_line_update(kstat_t *ksp, int how)
{
    const struct interrupt_line *line = ksp->ks_private;
    uint64_t multiple = evcnt_value(&line->multiple), spurious = evcnt_value(&line->spurious);
    uint64_t served = evcnt_value(&line->count) - spurious;
    kstat_intr_t *intr = KSTAT_INTR_PTR(ksp);

    if (how == KSTAT_WRITE)
        return EACCES;
    intr->intrs[KSTAT_INTR_HARD] =
        line->chip->soft || kstat_line_leads_on(line) ? 0 : (uint_t)served;
    intr->intrs[KSTAT_INTR_SOFT] = line->chip->soft ? (uint_t)served : 0;
    intr->intrs[KSTAT_INTR_WATCHDOG] = (uint_t)kstat_line_watchdogs(line);
    intr->intrs[KSTAT_INTR_SPURIOUS] = (uint_t)spurious;
    intr->intrs[KSTAT_INTR_MULTSVC] = (uint_t)multiple;
    return 0;
}

static void kstat_line_collect(const void *line, struct histogram *out)
{
    interrupt_service_collect(out, line);
}

/* "ioapic0" is instance 0 of ioapic. More than INSTANCE_DIGITS digits belong to the name: i8259. */
static int kstat_line_split_group(const char *group, char *module)
{
    size_t length = strlcpy(module, group, KSTAT_STRLEN), digits = 0;
    uint64_t instance;

    length = length < KSTAT_STRLEN ? length : KSTAT_STRLEN - 1;
    while (digits < length && module[length - digits - 1] >= '0' &&
           module[length - digits - 1] <= '9')
        digits++;
    if (digits > INSTANCE_DIGITS || digits == length ||
        parse_u64(module + length - digits, 10, &instance) != 0)
        return 0;
    module[length - digits] = '\0';
    return (int)instance;
}

static void kstat_line_create(struct interrupt_line *line)
{
    char module[KSTAT_STRLEN], name[KSTAT_STRLEN];
    size_t length = 0;
    kstat_t *ksp;
    int instance = kstat_line_split_group(line->count.ev_group, module);

    for (const char *at = line->name; *at != '\0' && length < sizeof(name) - 1; at++) {
        if (*at != ' ')
            name[length++] = *at;
    }
    name[length] = '\0';
    ksp = kstat_create(module, instance, name, line->chip->soft ? "misc" : "controller",
                       KSTAT_TYPE_INTR, 1, 0);
    if (ksp != NULL) {
        ksp->ks_crtime = (hrtime_t)line->count.ev_since;
        ksp->ks_private = line;
        ksp->ks_update = kstat_line_update;
        kstat_install(ksp);
    }
    strlcpy(name + length, "_service", sizeof(name) - length);
    kstat_service_create(module, instance, name, kstat_line_collect, line, line->count.ev_since);
}

void kstat_line_refresh(void)
{
    struct interrupt_line *line;

    mutex_enter(&refresh_lock);
    while ((line = interrupt_line_next(last)) != NULL) {
        kstat_line_create(line);
        last = line;
    }
    mutex_exit(&refresh_lock);
}

static void kstat_line_prepare(void)
{
    mutex_init(&refresh_lock, "line kstats");
}
LATE(1, kstat_line_prepare);
