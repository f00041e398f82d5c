/* SPDX-License-Identifier: BSD-2-Clause */
/* The multiboot information (Multiboot Specification 0.6.96, 3.3), read while low memory is still
 * mapped at 0. */
#include <arch/memory.h>
#include <stddef.h>
#include "boot/boot_info.h"
#include "lib/section.h"

#define HAS_MEMORY       0x01u
#define HAS_COMMAND_LINE 0x04u
#define HAS_MODULES      0x08u
#define HAS_MAP          0x40u
#define TYPE_RAM         1

struct multiboot {
    uint32_t flags, memory_lower, memory_upper /* KiB */, boot_device, command_line, module_count,
        modules;
    uint32_t symbols[4];
    uint32_t map_length, map;
};

struct multiboot_module {
    uint32_t start, end, command_line, reserved;
};

struct __attribute__((packed)) multiboot_range {
    uint32_t size; /* of what follows */
    uint64_t start, length;
    uint32_t type;
};

void multiboot_start(uint32_t address);

static const char *multiboot_skip_program(const char *line)
{
    /* QEMU and GRUB put the kernel's file name first. */
    while (*line && *line != ' ')
        line++;
    return line;
}

void multiboot_start(uint32_t address)
{
    static struct boot_info info SHARED_BSS;
    const struct multiboot *mb = memory_pointer(address);

    info.command_line = mb->flags & HAS_COMMAND_LINE
                            ? multiboot_skip_program(memory_pointer(mb->command_line))
                            : "";
    if (mb->flags & HAS_MODULES && mb->module_count > 0) {
        const struct multiboot_module *module = memory_pointer(mb->modules);

        info.module = (struct boot_range){module->start, module->end};
    }
    if (mb->flags & HAS_MAP) {
        for (uint32_t at = 0; at < mb->map_length;) {
            const struct multiboot_range *range = memory_pointer(mb->map + at);

            if (range->type == TYPE_RAM)
                boot_info_add_ram(&info, range->start, range->start + range->length);
            at += range->size + 4;
        }
    } else if (mb->flags & HAS_MEMORY) {
        boot_info_add_ram(&info, 0x100000, 0x100000 + mb->memory_upper * 1024ull);
    }
    boot_main(&info);
}
