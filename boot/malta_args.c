/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What YAMON hands over: arguments and environment as 32-bit pointers, sign-extended (MIPS YAMON Reference Manual, go
 * command). QEMU passes kernel, command line and numbers in decimal; GXemul numbers in hexadecimal.
 */
#include <arch/memory.h>
#include <stddef.h>
#include "boot/boot_info.h"
#include "lib/format.h"
#include "lib/number.h"
#include "lib/string.h"

#define LOW_RAM  0x10000000ul /* the first 256 MiB are seen at physical 0 */
#define HIGH_RAM 0x80000000ul /* all of RAM is seen from here on (QEMU) */

void malta_start(int count, const int32_t *arguments, const int32_t *environment, uint64_t memory);

static const char *pointer(int32_t value)
{
    return (const char *)(intptr_t)value;
}

/* The number after NAME= in the words of LINE; 0 if absent. */
static bool word_number(const char *line, const char *name, uint64_t *value)
{
    size_t length = strlen(name);
    char number[24];
    size_t digits;

    for (; *line; line++) {
        if (strncmp(line, name, length) != 0)
            continue;
        line += length;
        for (digits = 0; line[digits] && line[digits] != ' ' && line[digits] != ',' && digits < sizeof number - 1; digits++)
            number[digits] = line[digits];
        number[digits] = '\0';
        if (number[0] == '0' && number[1] == 'x')
            return parse_u64(number + 2, 16, value) == 0;
        return parse_u64(number, 10, value) == 0;
    }
    return false;
}

static const char *variable(const int32_t *environment, const char *name)
{
    for (; environment && environment[0]; environment += 2)
        if (environment[1] && strcmp(pointer(environment[0]), name) == 0)
            return pointer(environment[1]);
    return NULL;
}

/* A size as either emulator writes it. */
static uint64_t size_of(const char *text)
{
    uint64_t value = 0;

    if (!text)
        return 0;
    if (text[0] == '0' && text[1] == 'x')
        parse_u64(text + 2, 16, &value);
    else
        parse_u64(text, 10, &value);
    return value;
}

/* RAM as seen by the CPU: below 256 MiB at 0, the rest behind the high alias. */
static void add_ram(struct boot_info *info, uint64_t size)
{
    boot_info_add_ram(info, 0x1000, size < LOW_RAM ? size : LOW_RAM); /* the vectors lie at 0 */
    if (size > LOW_RAM)
        boot_info_add_ram(info, HIGH_RAM + LOW_RAM, HIGH_RAM + size);
}

void malta_start(int count, const int32_t *arguments, const int32_t *environment, uint64_t memory)
{
    static struct boot_info info;
    static char line[1024];
    size_t length = 0;
    uint64_t start, size;

    for (int i = 1; i < count && length < sizeof line; i++)
        length += format(line + length, sizeof line - length, "%s%s", i > 1 ? " " : "", pointer(arguments[i]));
    info.command_line = line;
    size = size_of(variable(environment, "ememsize"));
    if (!size)
        size = size_of(variable(environment, "memsize"));
    add_ram(&info, size ? size : memory);
    if (word_number(line, "rd_start=", &start) && word_number(line, "rd_size=", &size))
        info.module = (struct boot_range){memory_physical((void *)start), memory_physical((void *)start) + size};
    boot_main(&info);
}
