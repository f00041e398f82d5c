/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/hwperf: the event counters in system mode, for syssgi(2) of libquipu.a. Errors in the order
 * EFAULT, EINVAL, EPERM, EBUSY. */
#include "abi/hwperf.h"
#include "abi/hwperf_syssgi.h"
#include "kernel/hwperf/hwperf_system.h"
#include "lib/string.h"
#include "linux/hwperf/hwperf_private.h"
#include "stats/pmc/pmu_owner.h"

static bool hwperf_is_root(void)
{
    return program_is_root(task_current()->program);
}

/* The caller gets the signal. */
static int hwperf_syssgi_put(const struct hwperf_control *control, bool set)
{
    struct program *self = task_current()->program;

    int before = self->hwperf_signal, error;

    if (!set && hwperf_system_is_on())
        return -EBUSY;
    if (hwperf_signal_set(self, control->signal) != 0)
        return -ENOMEM;
    error = set ? hwperf_system_set(control, self->id)
                : hwperf_system_begin(control, true, 0, self->id);
    if (error != 0)
        (void)hwperf_signal_set(self, before);
    return -error;
}

static long hwperf_syssgi_begin(uintptr_t argument, bool set)
{
    struct hwperf_control control;
    int error = hwperf_control_in(argument, &control);

    if (error == 0 && !(hwperf_control_modes(&control) & PMC_MODE_K))
        error = -EINVAL;
    if (error == 0 && set && !hwperf_system_is_on())
        error = -EINVAL;
    if (error == 0 && !hwperf_is_root())
        error = -EPERM;
    if (error == 0)
        error = hwperf_syssgi_put(&control, set);
    return error != 0 ? error : (long)hwperf_system_generation();
}

static long hwperf_syssgi_end(void)
{
    if (!hwperf_is_root())
        return -EPERM;
    hwperf_system_end();
    return 0;
}

static long hwperf_syssgi_counts(uintptr_t argument, const uint64_t *cpu)
{
    struct abi_hwperf_counts out;
    int error;

    if (!cpu)
        hwperf_system_read(out.count);
    else if (*cpu >= UINT32_MAX || !hwperf_system_read_cpu((unsigned)*cpu, out.count))
        return 0;
    error = copyout(&out, (void *)argument, sizeof out);
    return error != 0 ? error : (long)hwperf_system_generation();
}

static long hwperf_syssgi_control(uintptr_t argument)
{
    int error = hwperf_system_is_on() ? 0 : -EINVAL;

    if (error == 0)
        error = copyout(hwperf_system_control()->spec, (void *)argument,
                        sizeof(struct abi_hwperf_control));
    return error != 0 ? error : (long)hwperf_system_generation();
}

static long hwperf_syssgi(const struct abi_hwperf_syssgi *asked)
{
    uintptr_t first = (uintptr_t)asked->argument[0];

    switch (asked->command) {
    case ABI_HWPERF_ENSYSCNTRS:
    case ABI_HWPERF_SETSYSEVCTRL:
        return hwperf_syssgi_begin(first, asked->command == ABI_HWPERF_SETSYSEVCTRL);
    case ABI_HWPERF_GETSYSCNTRS:
        return hwperf_syssgi_counts(first, NULL);
    case ABI_HWPERF_GETCPUCNTRS:
        return hwperf_syssgi_counts((uintptr_t)asked->argument[1], &asked->argument[0]);
    case ABI_HWPERF_GETSYSEVCTRL:
        return hwperf_syssgi_control(first);
    case ABI_HWPERF_RELSYSCNTRS:
        return hwperf_syssgi_end();
    case ABI_HWPERF_PROFENABLE:
        return hwperf_profile_begin(asked);
    default:
        return -EINVAL;
    }
}

static long hwperf_device_ioctl(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    struct abi_hwperf_syssgi asked;
    long result;

    (void)file;
    if (!user || command != ABI_HWPERF_SYSSGI)
        return -ENOTTY;
    result = copyin((const void *)argument, &asked, sizeof asked);
    if (result != 0)
        return result;
    hwperf_enter();
    result = hwperf_syssgi(&asked);
    mutex_exit(&hwperf_lock);
    return result;
}

static const struct file_ops hwperf_ops = {.ioctl = hwperf_device_ioctl};
struct device hwperf_device = {.name = "hwperf",
                               .type = S_IFCHR,
                               .major = DEV_STATISTICS_MAJOR,
                               .minor = 3,
                               .mode = 0666,
                               .ops = &hwperf_ops};
