/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up, in order. Everything that a board decides is behind machine_*. */
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include <arch/smp.h>
#include "boot/board_part.h"
#include "boot/boot_info.h"
#include "kernel/base/boot_word.h"
#include "kernel/cpu/cpu.h"
#include "kernel/thread/law_check.h"
#include "kernel/base/log.h"
#include "kernel/console/log_ring.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "kernel/base/panic.h"
#include "kernel/console/script.h"
#include "kernel/interrupt/softint.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "shell/shell.h"

extern char boot_stack[], boot_stack_end[]; /* ..._entry.S */

#define LEAST_MEMORY (8ul << 20)

static void main_boot_shell(void *unused)
{
    (void)unused;
    boot_words_check();
    shell_start();
}

static void main_check_memory(const struct boot_info *info)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < info->ram_count; i++)
        bytes += info->ram[i].end - info->ram[i].start;
    machine_set_memory_size(bytes);
    if (bytes < LEAST_MEMORY)
        panic("boot: too little memory: %lu KiB, at least %lu KiB are needed",
              (unsigned long)(bytes >> 10), LEAST_MEMORY >> 10);
}

/* Where a CPU other than the first enters the kernel. */
static _Noreturn void main_boot_cpu(void)
{
    thread_boot_cpu();
    smp_timer_start();
    clock_start_cpu();
    thread_idle();
}

/* What nobody else takes is a script. */
static void main_join_module(const char *module, size_t size)
{
    const struct board_part *const *part;

    LINKER_SET_FOREACH (part, board_parts) {
        if ((*part)->module && (*part)->module(module, size))
            return;
    }
    script_read(module, size);
}

static void main_join_console(void)
{
    const struct board_part *const *part;

    LINKER_SET_FOREACH (part, board_parts) {
        if ((*part)->console)
            (*part)->console();
    }
}

static void main_join_devices(void)
{
    const struct board_part *const *part;

    LINKER_SET_FOREACH (part, board_parts) {
        if ((*part)->devices)
            (*part)->devices();
    }
}

_Noreturn void boot_main(const struct boot_info *info)
{
    machine_console();
    main_join_console();
    boot_words_parse(info->command_line, info->command_line_cut);
    log_to_console(!boot_word_value("quiet"));
    log_printf("Quipu on a %s", machine.name);
    if (info->module.end > info->module.start) /* first: a panic must know how to end */
        main_join_module(memory_pointer(info->module.start), info->module.end - info->module.start);
    boot_words_require_end();
    main_check_memory(info);
    if (machine_memory(info) != 0)
        panic("boot: no memory for the page tables");
    thread_boot(boot_stack, boot_stack_end);
    machine_interrupts();
    cpu_set_possible(smp_find());
    evcnt_init();
    softint_boot();
    interrupts_enable();
    machine_devices();
    main_join_devices();
    if (cpu_possible() > 1)
        cpu_set_count(smp_start(main_boot_cpu));
    law_watch();
    if (thread_create("shell", THREAD_PRIORITY_NORMAL, main_boot_shell, NULL, NULL) != 0)
        panic("boot: no memory for the shell");
    thread_idle();
}
