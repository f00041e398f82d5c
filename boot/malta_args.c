/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What YAMON hands over: arguments and environment as 32-bit pointers, sign-extended (MIPS YAMON
 * Reference Manual, go command). QEMU passes kernel, command line and numbers in decimal; GXemul
 * numbers in hexadecimal.
 */
#include <arch/memory.h>
#include <stddef.h>
#include "boot/boot_info.h"
#include "kernel/base/boot_word.h"
#include "lib/number.h"
#include "lib/string.h"

#define LOW_RAM 0x10000000ul /* the first 256 MiB are seen at physical 0 */
#define QEMU_ARGUMENT                                                                              \
    255 /* characters of an argument at most: QEMU cuts longer ones in silence (ENVP_ENTRY_SIZE)   \
         */
#define HIGH_RAM 0x80000000ul /* all of RAM is seen from here on (QEMU) */

void malta_start(int count, const int32_t *arguments, const int32_t *environment, uint64_t memory);

static const char *malta_args_pointer(int32_t value)
{
    return (const char *)(intptr_t)value;
}

/* A number as either emulator writes it: decimal, or hexadecimal after 0x; it ends at a blank or
 * comma. 0 if none. */
static uint64_t malta_args_number_of(const char *text)
{
    char digits[24];
    size_t length = 0;
    uint64_t value = 0;

    if (!text)
        return 0;
    while (text[length] && text[length] != ' ' && text[length] != ',' &&
           length < sizeof digits - 1) {
        digits[length] = text[length];
        length++;
    }
    digits[length] = '\0';
    if (digits[0] == '0' && digits[1] == 'x')
        parse_u64(digits + 2, 16, &value);
    else
        parse_u64(digits, 10, &value);
    return value;
}

/* What follows NAME= in LINE; NULL if absent. */
static const char *malta_args_word(const char *line, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = line; *at; at++)
        if ((at == line || at[-1] == ' ') && strncmp(at, name, length) == 0)
            return at + length;
    return NULL;
}

static const char *malta_args_variable(const int32_t *environment, const char *name)
{
    for (; environment && environment[0]; environment += 2)
        if (environment[1] && strcmp(malta_args_pointer(environment[0]), name) == 0)
            return malta_args_pointer(environment[1]);
    return NULL;
}

/* RAM as seen by the CPU: below 256 MiB at 0, the rest behind the high alias. */
static void malta_args_add_ram(struct boot_info *info, uint64_t size)
{
    boot_info_add_ram(info, 0x1000, size < LOW_RAM ? size : LOW_RAM); /* the vectors lie at 0 */
    if (size > LOW_RAM)
        boot_info_add_ram(info, HIGH_RAM + LOW_RAM, HIGH_RAM + size);
}

/* QEMU says rd_start and rd_size, which is a kernel address; for GXemul module=PHYSICAL,BYTES says
 * the same. */
static struct boot_range malta_args_find_module(const char *line)
{
    const char *text = malta_args_word(line, "module=");
    uint64_t start, size;

    if (text && *text && *text != ' ') {
        start = malta_args_number_of(text);
        text = strchr(text, ',');
        size = text ? malta_args_number_of(text + 1) : 0;
    } else {
        start =
            memory_physical((const void *)malta_args_number_of(malta_args_word(line, "rd_start=")));
        size = malta_args_number_of(malta_args_word(line, "rd_size="));
    }
    return (struct boot_range){start, start + size};
}

void malta_start(int count, const int32_t *arguments, const int32_t *environment, uint64_t memory)
{
    static struct boot_info info;
    static char line[BOOT_WORDS_TEXT + 1]; /* one more than is taken: what is too long shows */
    size_t length = 0;
    uint64_t size;

    for (int i = 1; i < count && length < sizeof line - 1; i++) {
        const char *argument = malta_args_pointer(arguments[i]);

        if (i > 1)
            line[length++] = ' ';
        length += strlcpy(line + length, argument, sizeof line - length);
        info.command_line_cut = info.command_line_cut || strlen(argument) == QEMU_ARGUMENT;
    }
    info.command_line = line;
    size = malta_args_number_of(malta_args_variable(environment, "ememsize"));
    if (!size)
        size = malta_args_number_of(malta_args_variable(environment, "memsize"));
    malta_args_add_ram(&info, size ? size : memory);
    info.module = malta_args_find_module(line);
    boot_main(&info);
}
