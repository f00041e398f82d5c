/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's arguments. qpmu(7) is the reference. */
#ifndef QPMU_PLUGIN_ARGUMENTS_H
#define QPMU_PLUGIN_ARGUMENTS_H

#include "tools/qpmu/cpu.h"

#include <stdbool.h>
#include <stdint.h>

struct arguments {
    enum qpmu_kind kind; /* of a MIPS CPU */
    uint64_t l2_size;
    uint64_t base;    /* what QEMU adds to a place in RAM */
    uint64_t vectors; /* MIPS */
    uint64_t until;   /* 0: to the end */
    const char *irq;  /* NULL: no interrupts */
    const char *ram;
    const char *total;
    unsigned l2_line;
    bool halt_waits;
    enum { TRANSPARENT_AUTO, TRANSPARENT_ON, TRANSPARENT_OFF } transparent;
    bool direct_r10k; /* a MIPS' registers, where that is on, are an R10000's */
    unsigned pin;     /* and this one of its pins interrupts; 0: the best there is */
    bool public_only; /* do without QEMU's own symbols, for tests */
    bool probe;       /* only say whether this QEMU can load the plugin */
};

/* What is not given stays as it is. False: one of them is wrong; a line on stderr has said why. */
bool arguments_take(struct arguments *arguments, int count, char **texts);

#endif
