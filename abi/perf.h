/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): what programs hand over and read, the same on all machines. */
#pragma once

#include <stdint.h>

enum {
    PERF_TYPE_HARDWARE,
    PERF_TYPE_SOFTWARE,
    PERF_TYPE_TRACEPOINT,
    PERF_TYPE_CACHE,
    PERF_TYPE_RAW
};

/* config of PERF_TYPE_SOFTWARE. */
enum {
    PERF_SW_CPU_CLOCK,
    PERF_SW_TASK_CLOCK,
    PERF_SW_FAULTS,
    PERF_SW_SWITCHES,
    PERF_SW_MIGRATIONS,
    PERF_SW_FAULTS_MINOR,
    PERF_SW_FAULTS_MAJOR,
    PERF_SW_ALIGNMENT,
    PERF_SW_EMULATION,
    PERF_SW_DUMMY
};

#define PERF_FORMAT_ENABLED 1u
#define PERF_FORMAT_RUNNING 2u
#define PERF_FORMAT_ID      4u
#define PERF_FORMAT_GROUP   8u
#define PERF_FORMAT_LOST    16u
#define PERF_FORMATS        31u

#define PERF_FLAG_NO_GROUP 1u
#define PERF_FLAG_OUTPUT   2u
#define PERF_FLAG_CGROUP   4u
#define PERF_FLAG_CLOEXEC  8u

/* Flag N of an attr is a bit field: the first is the machine's first bit. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PERF_BIT(n) (1ull << (63 - (n)))
#else
#define PERF_BIT(n) (1ull << (n))
#endif
#define PERF_DISABLED       PERF_BIT(0)
#define PERF_INHERIT        PERF_BIT(1)
#define PERF_PINNED         PERF_BIT(2)
#define PERF_EXCLUSIVE      PERF_BIT(3)
#define PERF_EXCLUDE_USER   PERF_BIT(4)
#define PERF_EXCLUDE_KERNEL PERF_BIT(5)
#define PERF_FREQUENCY      PERF_BIT(10)
#define PERF_ENABLE_ON_EXEC PERF_BIT(12)
#define PERF_INHERIT_THREAD PERF_BIT(35)
#define PERF_REMOVE_ON_EXEC PERF_BIT(36)
#define PERF_SIGTRAP        PERF_BIT(37)
#define PERF_BITS           38u

struct abi_perf_attr {
    uint32_t type, size;
    uint64_t config, period, sample_type, read_format, flags;
    uint32_t wakeup, breakpoint;
    uint64_t config1; /* the first edition ends here */
    uint64_t config2, branch_type, registers_user;
    uint32_t stack_user, clock;
    uint64_t registers_interrupt;
    uint32_t aux_watermark;
    uint16_t max_stack, reserved2;
    uint32_t aux_size, reserved3;
    uint64_t signal_data;
};
#define PERF_ATTR_FIRST 64u
_Static_assert(sizeof(struct abi_perf_attr) == 128, "struct perf_event_attr");

/* ioctls, by the number in their lowest byte; the next one is '$'. */
enum { PERF_IOC_ENABLE, PERF_IOC_DISABLE, PERF_IOC_REFRESH, PERF_IOC_RESET, PERF_IOC_ID = 7 };
#define PERF_IOC_LAST  11u
#define PERF_IOC_GROUP 1u
