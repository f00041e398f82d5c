/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): what programs hand over and read, the same on all machines. */
#pragma once

#include <stddef.h>
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
/* Bits of sample_type. */
enum {
    PERF_SAMPLE_IP = 1,
    PERF_SAMPLE_TID = 2,
    PERF_SAMPLE_TIME = 4,
    PERF_SAMPLE_ADDR = 8,
    PERF_SAMPLE_READ = 16,
    PERF_SAMPLE_ID = 64,
    PERF_SAMPLE_CPU = 128,
    PERF_SAMPLE_PERIOD = 256,
    PERF_SAMPLE_STREAM_ID = 512,
    PERF_SAMPLE_IDENTIFIER = 1 << 16
};
#define PERF_SAMPLES                                                                               \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_READ |   \
     PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |               \
     PERF_SAMPLE_IDENTIFIER)

/* Records of a ring: a header, then words. */
struct abi_perf_header {
    uint32_t type;
    uint16_t misc, size;
};
enum { PERF_RECORD_LOST = 2, PERF_RECORD_SAMPLE = 9 };
#define PERF_MISC_KERNEL 1u
#define PERF_MISC_USER   2u
#define PERF_MISC_EXACT  0x4000u

/* The first page of a ring. */
struct abi_perf_page {
    uint32_t version, compatible, lock, index;
    int64_t offset;
    uint64_t enabled, running, capabilities;
    uint16_t width, time_shift;
    uint32_t time_multiplier;
    uint64_t time_offset, time_zero;
    uint32_t size, reserved1;
    uint64_t time_cycles, time_mask;
    uint8_t reserved[928];
    uint64_t head, tail, data_offset, data_size;
};
_Static_assert(offsetof(struct abi_perf_page, head) == 1024, "struct perf_event_mmap_page");

#define PERF_DISABLED       PERF_BIT(0)
#define PERF_INHERIT        PERF_BIT(1)
#define PERF_PINNED         PERF_BIT(2)
#define PERF_EXCLUSIVE      PERF_BIT(3)
#define PERF_EXCLUDE_USER   PERF_BIT(4)
#define PERF_EXCLUDE_KERNEL PERF_BIT(5)
#define PERF_FREQUENCY      PERF_BIT(10)
#define PERF_ENABLE_ON_EXEC PERF_BIT(12)
#define PERF_WATERMARK      PERF_BIT(14)
#define PERF_SAMPLE_ID_ALL  PERF_BIT(18)
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
enum {
    PERF_IOC_ENABLE,
    PERF_IOC_DISABLE,
    PERF_IOC_REFRESH,
    PERF_IOC_RESET,
    PERF_IOC_PERIOD,
    PERF_IOC_OUTPUT,
    PERF_IOC_ID = 7,
    PERF_IOC_PAUSE = 9
};
#define PERF_IOC_LAST  11u
#define PERF_IOC_GROUP 1u
