/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is set up late: devices that are probed, and statistics that are listed, only when somebody
 * asks for the first time, so that the first prompt does not wait for them. Nothing that counts
 * from boot belongs here.
 *
 *     static void disk_probe(void) ...
 *     LATE(3, disk_probe);
 *
 * Levels: 1 frameworks, 3 drivers, 5 what stands on devices (network), 7 statistics that list what
 * the others found. Functions of one level have no order among them.
 */
#pragma once

#include "lib/linker_set.h"

#define LATE_LEVELS 8 /* 0 .. 7 */

struct late {
    unsigned level;
    void (*function)(void);
};

/* FUNCTION(), of static or global name, runs once, in thread context. It may sleep and allocate,
 * and may call what calls late_start itself. */
#define LATE(late_level, late_function)                                                            \
    _Static_assert((late_level) < LATE_LEVELS, "no such level");                                   \
    static const struct late late_##late_function = {(late_level), (late_function)};               \
    LINKER_SET_ADD(late_functions, late_##late_function)

/* When it returns, all of them have run, in the order of their levels; others that call it
 * meanwhile wait. From inside one of them it returns at once. Thread context, no lock held. */
void late_start(void);
