/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting one piece of code; see pmu_measure.h. */
#include "tests/kernel/pmu_measure.h"
#include <arch/interrupt_flag.h>
#include <stddef.h>
#include "kernel/device/late.h"

static enum user_mode user_mode;
static bool came_back;

const struct pmu_class *pmu_hardware(void)
{
    const struct pmu_class *class;

    late_start();
    class = pmu_class_at(0, NULL);
    return class && !(class->capabilities & PMU_VIRTUAL) ? class : NULL;
}

uint64_t pmu_measure(struct pmu_event_at what, void (*run)(uint64_t), uint64_t argument)
{
    const struct pmu_class *class = pmu_hardware();
    uintptr_t state = interrupts_save();
    uint64_t value;

    class->program(what.counter, what.code, what.modes, false);
    class->write(what.counter, 0);
    class->start(what.counter);
    run(argument);
    class->stop(what.counter);
    value = class->read(what.counter);
    pmu_disturbed();
    interrupts_restore(state);
    return value;
}

static void run_user(uint64_t argument)
{
    came_back = pmu_code_user(user_mode, argument);
}

uint64_t pmu_measure_user(struct pmu_event_at what, enum user_mode mode, uint64_t argument)
{
    uint64_t value;

    user_mode = mode;
    value = pmu_measure(what, run_user, argument);
    return came_back ? value : UINT64_MAX;
}
