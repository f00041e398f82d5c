/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu_list: see cpu_list.h. It asks nobody how many CPUs there are. */
#include "shell/commands/shared/cpu_list.h"

#include <stdbool.h>

#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

#define NUMBER_DIGITS 9 /* more is no CPU anywhere */

/* The number at *text, which moves behind it. */
static int cpu_list_take_number(const char **text, uint64_t *number)
{
    unsigned digits = 0;

    for (*number = 0; **text >= '0' && **text <= '9'; (*text)++) {
        if (++digits > NUMBER_DIGITS)
            return -EINVAL;
        *number = *number * 10 + (uint64_t)(**text - '0');
    }
    return digits > 0 ? 0 : -EINVAL;
}

int cpu_list_parse(const char *text, unsigned count, uint32_t *set, uint64_t *beyond)
{
    uint64_t first, last;
    bool fits = true;
    uint32_t cpus = 0;

    for (;; text++) {
        if (cpu_list_take_number(&text, &first) != 0)
            return -EINVAL;
        last = first;
        if (*text == '-') {
            text++;
            if (cpu_list_take_number(&text, &last) != 0 || last < first)
                return -EINVAL;
        }
        if (last >= count && fits) {
            *beyond = first < count ? count : first;
            fits = false;
        }
        for (uint64_t cpu = first; fits && cpu <= last; cpu++)
            cpus |= (uint32_t)1 << cpu;
        if (*text == '\0')
            break;
        if (*text != ',')
            return -EINVAL;
    }
    if (!fits)
        return -ERANGE;
    *set = cpus;
    return 0;
}

void cpu_list_format(char *buf, size_t size, uint32_t set, unsigned count)
{
    size_t used = 0;
    unsigned last;

    buf[0] = '\0';
    for (unsigned cpu = 0; cpu < count && used < size; cpu = last + 1) {
        const char *comma = used > 0 ? "," : "";

        last = cpu;
        if ((set >> cpu & 1) == 0)
            continue;
        while (last + 1 < count && (set >> (last + 1) & 1) != 0)
            last++;
        if (last < cpu + 2)
            last = cpu;
        used += last == cpu ? format(buf + used, size - used, "%s%u", comma, cpu)
                            : format(buf + used, size - used, "%s%u-%u", comma, cpu, last);
    }
}

void cpu_list_beyond(char *buf, size_t size, uint64_t cpu, unsigned count)
{
    if (count == 1)
        format(buf, size, "no CPU %llu: there is only CPU 0", (unsigned long long)cpu);
    else
        format(buf, size, "no CPU %llu: there are CPUs 0 to %u", (unsigned long long)cpu,
               count - 1);
}
