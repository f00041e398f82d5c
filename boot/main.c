/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up, in order. Everything that a board decides is behind machine_*. */
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include <arch/smp.h>
#include "boot/boot_info.h"
#include "kernel/boot_word.h"
#include "kernel/cpu.h"
#include "kernel/law.h"
#include "kernel/log.h"
#include "kernel/machine.h"
#include "kernel/page.h"
#include "kernel/panic.h"
#include "kernel/script.h"
#include "kernel/softint.h"
#include "kernel/thread.h"
#include "shell/shell.h"

#define LEAST_MEMORY (8ul << 20)

static void shell_thread(void *unused)
{
    (void)unused;
    boot_words_check();
    shell_start();
}

static void check_memory(const struct boot_info *info)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < info->ram_count; i++)
        bytes += info->ram[i].end - info->ram[i].start;
    machine_set_memory_size(bytes);
    if (bytes < LEAST_MEMORY)
        panic("boot: too little memory: %lu KiB, at least %lu KiB are needed",
              (unsigned long)(bytes >> 10), LEAST_MEMORY >> 10);
}

_Noreturn void boot_main(const struct boot_info *info)
{
    machine_console();
    boot_words_parse(info->command_line);
    log_to_console(!boot_word_value("quiet"));
    log_printf("Quipu on a %s", machine.name);
    if (info->module.end > info->module.start) /* first: a panic must know how to end */
        script_read(memory_pointer(info->module.start), info->module.end - info->module.start);
    check_memory(info);
    if (machine_memory(info) != 0)
        panic("boot: no memory for the page tables");
    thread_boot();
    machine_interrupts();
    cpu_set_possible(smp_find());
    evcnt_init();
    softint_boot();
    interrupts_enable();
    machine_devices();
    cpu_start_others();
    law_watch();
    if (thread_create("shell", THREAD_PRIORITY_NORMAL, shell_thread, NULL, NULL) != 0)
        panic("boot: no memory for the shell");
    thread_idle();
}
