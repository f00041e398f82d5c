/* SPDX-License-Identifier: BSD-2-Clause */
/* The ioctls of /dev/sysctl, which libquipu.a makes sysctlbyname of. Those of /dev/kstat are
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
