/* SPDX-License-Identifier: BSD-2-Clause */
/* The ioctls of /dev/sysctl and /dev/pmc, for libquipu.a. Those of /dev/kstat are
 * in <sys/kstat.h>. */
#pragma once

#include <stdint.h>

/* Pointers are addresses of the program's; sizes are bytes. */
struct abi_sysctl {
    uint64_t name;     /* a string */
    uint64_t old;      /* where the value goes; 0: nowhere */
    uint64_t old_size; /* the room there; then the size of the value, also if it did not fit */
    uint64_t fresh;    /* a value to set; 0: none */
    uint64_t fresh_size;
};
#define ABI_SYSCTL_BYNAME 0x5301u /* struct abi_sysctl: as sysctlbyname(3) */

/* The ioctls of /dev/pmc, of which libquipu.a makes libpmc. They are about the calling thread. */
struct abi_pmc {
    int32_t counter;      /* -1: none in particular */
    int32_t request;      /* PMC_OP_* or PMC_INFO_* of <sys/pmc.h> */
    uint64_t value;       /* what PMC_INFO_* asked for */
    uint64_t reset_value; /* PMC_OP_CONFIGURE: struct pmc_counter_cfg */
    uint32_t event;
    uint32_t flags;
};
#define ABI_PMC_CONTROL 0x5001u /* struct abi_pmc */
#define ABI_PMC_INFO    0x5002u /* the same */

struct abi_pmc_event {
    int32_t counter; /* that is to count it; -1: any */
    uint32_t number; /* LIST: from 0 on; -ENOENT behind the last */
    uint32_t event;  /* found */
    uint32_t flags;  /* NAMED: modes, of a colon behind the name */
    char name[64];   /* ends with a NUL */
};
#define ABI_PMC_NAMED 0x5003u /* struct abi_pmc_event, by its name */
#define ABI_PMC_LIST  0x5004u /* the same, by its number */
