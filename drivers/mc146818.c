/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the MC146818 (Motorola data sheet): the same twice in a row, so that no update came
 * between. */
#include "drivers/mc146818.h"
#include <arch/io.h>
#include <stdbool.h>
#include "kernel/lock/spinlock.h"
#include "lib/string.h"

#define INDEX        0x70
#define DATA         0x71
#define REG_A        10
#define REG_B        11
#define A_UPDATING   0x80
#define B_24_HOURS   0x02
#define B_BINARY     0x04
#define HOUR_PM      0x80
#define TRIES        1000
#define GXEMUL_YEARS 80 /* GXemul counts years from 1820 */

struct time {
    uint8_t second, minute, hour, day, month, year;
};

static struct spinlock index_lock = SPINLOCK_INITIALIZER("mc146818");

static uint8_t mc146818_get(uint8_t reg)
{
    uintptr_t state = spinlock_acquire(&index_lock);
    uint8_t value;

    io_write8(INDEX, reg);
    value = io_read8(DATA);
    spinlock_release(&index_lock, state);
    return value;
}

static struct time mc146818_read_raw(void)
{
    return (struct time){mc146818_get(0), mc146818_get(2), mc146818_get(4),
                         mc146818_get(7), mc146818_get(8), mc146818_get(9)};
}

static uint8_t mc146818_from_bcd(uint8_t value)
{
    return (uint8_t)((value >> 4) * 10 + (value & 15));
}

/* Days from 1970-01-01 to the first of MONTH (1-12) of YEAR. */
static uint64_t mc146818_days_before(unsigned year, unsigned month)
{
    static const uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    unsigned leaps =
        (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 477; /* 477 up to 1969 */
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return (uint64_t)(year - 1970) * 365 + leaps + before[month - 1] + (leap && month > 2 ? 1 : 0);
}

static uint64_t mc146818_convert(struct time t, uint8_t mode)
{
    bool pm = !(mode & B_24_HOURS) && t.hour & HOUR_PM;
    unsigned year;

    t.hour &= (uint8_t)~HOUR_PM;
    if (!(mode & B_BINARY))
        t = (struct time){mc146818_from_bcd(t.second), mc146818_from_bcd(t.minute),
                          mc146818_from_bcd(t.hour),   mc146818_from_bcd(t.day),
                          mc146818_from_bcd(t.month),  mc146818_from_bcd(t.year)};
    if (!(mode & B_24_HOURS))
        t.hour = (uint8_t)(t.hour % 12 + (pm ? 12 : 0));
    if (t.month < 1 || t.month > 12 || t.day < 1 || t.day > 31 || t.hour > 23 || t.minute > 59 ||
        t.second > 59)
        return 0;
    if (t.year >= GXEMUL_YEARS + 100)
        t.year = (uint8_t)(t.year - GXEMUL_YEARS);
    year = t.year + (t.year < 70 ? 2000u : 1900u);
    return ((mc146818_days_before(year, t.month) + t.day - 1) * 24 + t.hour) * 3600 +
           t.minute * 60u + t.second;
}

uint64_t mc146818_seconds(void)
{
    for (unsigned i = 0; i < TRIES; i++) {
        struct time first, second;

        if (mc146818_get(REG_A) & A_UPDATING)
            continue;
        first = mc146818_read_raw();
        second = mc146818_read_raw();
        if (memcmp(&first, &second, sizeof first) == 0)
            return mc146818_convert(first, mc146818_get(REG_B));
    }
    return 0;
}
