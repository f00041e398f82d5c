/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot module with a shell line, and the marks around what it prints. */
#include "kernel/console/script.h"
#include <stdarg.h>
#include "kernel/console/console.h"
#include "kernel/base/log.h"
#include "kernel/console/log_ring.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"

#define HEADER         "quipu-script 1 "
#define TEXT_MAX       16384
#define WORDS(number)  WORDS2(number) /* of a macro, as a string */
#define WORDS2(number) #number

static struct script script;
static SHARED_BSS char script_text[TEXT_MAX + 1];
static bool present;

bool script_read(const char *module, size_t size)
{
    size_t header = sizeof HEADER - 1, tag = 0, length;

    if (size < header || memcmp(module, HEADER, header) != 0) {
        log_printf("boot: the boot module is not a script");
        return false;
    }
    while (header + tag < size && module[header + tag] != '\n')
        tag++;
    length = size - header - tag - 1;
    if (header + tag >= size || tag == 0 || tag >= sizeof script.tag) {
        log_printf("boot: the script's header is damaged");
        return false;
    }
    memcpy(script.tag, module + header, tag);
    script.text = script_text;
    script.length = length;
    present = true;
    if (length > TEXT_MAX) {
        script.fault = "longer than " WORDS(TEXT_MAX) " bytes";
        return true;
    }
    memcpy(script_text, module + header + tag + 1, length);
    if (strlen(script_text) != length)
        script.fault = "not text: it has a NUL character";
    return true;
}

const struct script *script_get(void)
{
    return present ? &script : NULL;
}

static void script_mark(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void script_mark(const char *fmt, ...)
{
    char line[64];
    va_list arguments;
    size_t length;

    va_start(arguments, fmt);
    length = vformat(line, sizeof line, fmt, arguments);
    va_end(arguments);
    console_write(line, length);
}

void script_begin(void)
{
    log_to_console(false);
    console_newline_mode(false);
    script_mark("\001%s begin\n", script.tag);
}

void script_exit(int status)
{
    script_mark("\001%s exit %d\n", script.tag, status & 255);
}

void script_reboot(void)
{
    if (present)
        script_mark("\001%s reboot\n", script.tag);
}
