/* SPDX-License-Identifier: BSD-2-Clause */
/* What syssgi(2) of libquipu.a shares with the kernel. */
#pragma once

#include <stdint.h>

/* syssgi(SGI_EVENTCTR, COMMAND, ...): the ioctl of /dev/hwperf. */
struct abi_hwperf_syssgi {
    uint64_t command; /* ABI_HWPERF_ */
    uint64_t argument[3];
};

struct abi_hwperf_prof { /* struct prof of <sys/profil.h> */
    uint64_t base, size, offset, scale;
};

#define ABI_HWPERF_SYSSGI       0x7160u
#define ABI_HWPERF_PROFENABLE   1u
#define ABI_HWPERF_ENSYSCNTRS   2u
#define ABI_HWPERF_GETSYSCNTRS  3u
#define ABI_HWPERF_GETCPUCNTRS  4u
#define ABI_HWPERF_GETSYSEVCTRL 5u
#define ABI_HWPERF_SETSYSEVCTRL 6u
#define ABI_HWPERF_RELSYSCNTRS  7u
