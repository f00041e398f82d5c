/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports that are drawn again and again: see live.h. */
#include "shell/live.h"
#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "kernel/console/script.h"
#include "shell/job.h"
#include "shell/output.h"
#include "shell/screen.h"

bool live_has_keys(void)
{
    return script_get() == NULL && shell_output() == NULL && !job_current();
}

char live_wait(bool keys, uint64_t deadline)
{
    char key;

    if (!keys) {
        (void)shell_sleep_until(deadline);
        return 0;
    }
    while (clock_now() < deadline && !shell_interrupted()) {
        if (console_read_until(&key, 1, deadline) == 1)
            return key;
    }
    return 0;
}

void live_home(bool clear)
{
    shell_printf(clear ? "\033[H\033[2J" : "\033[H");
}

void live_begin(bool keys)
{
    if (!keys)
        return;
    screen_ask();
    live_home(true);
}
