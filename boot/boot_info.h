/* SPDX-License-Identifier: BSD-2-Clause */
/* What the loader said, in one form for both machines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BOOT_RANGES 32

struct boot_range {
    uint64_t start, end; /* physical, end exclusive */
};

struct boot_info {
    const char *command_line;
    bool command_line_cut; /* the loader may have kept its end back */
    struct boot_range ram[BOOT_RANGES];
    unsigned ram_count;
    struct boot_range module; /* empty if there is none */
};

/* The rest of start-up; from multiboot.c and malta_args.c. */
_Noreturn void boot_main(const struct boot_info *info);

/* Adds RAM; ignored when full. */
static inline void boot_info_add_ram(struct boot_info *info, uint64_t start, uint64_t end)
{
    if (info->ram_count < BOOT_RANGES && start < end)
        info->ram[info->ram_count++] = (struct boot_range){start, end};
}

/* The board, in the order in which main.c calls: boot/machine_*.c. */
void machine_console(void); /* polled output works from here on */
int machine_memory(
    const struct boot_info *info); /* all RAM becomes reachable; the allocator works */
void machine_interrupts(void);     /* vectors, controllers, lines; nothing enabled */
void machine_devices(void);        /* interrupts are on: clock, serial line */
