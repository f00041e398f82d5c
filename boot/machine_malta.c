/* SPDX-License-Identifier: BSD-2-Clause */
/* The Malta board: which chips there are, where, and how their lines reach the CPU. The only place
 * that knows, but for malta_pci.c and malta_pmu.c. */
#include "boot/machine_malta.h"
#include <arch/cpu.h>
#include <arch/io.h>
#include <arch/memory.h>
#include <machine/register.h>
#include "arch/mips/vector.h"
#include "boot/boot_info.h"
#include "boot/calibrate.h"
#include "boot/memory_regions.h"
#include "drivers/gt64120.h"
#include "drivers/i8259.h"
#include "drivers/mc146818.h"
#include "drivers/piix4_pm.h"
#include "drivers/uart16550.h"
#include "kernel/base/boot_word.h"
#include "kernel/thread/tick.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/base/inventory.h"
#include "kernel/base/log.h"
#include "kernel/base/machine.h"
#include "lib/format.h"
#include "lib/string.h"

#define COM0_PORT   0x3f8
#define IRQ_PIT     0
#define IRQ_COM0    4
#define GT64120     0x1be00000ul
#define SOFT_RESET  0x1f000500ul /* MIPS Malta User's Manual, SOFTRES */
#define RESET_MAGIC 0x42
#define PM_PORT     0x600

BOOT_WORD(module, "module", "ADDRESS,BYTES",
          "where the boot module lies in physical memory (Malta, GXemul)");
BOOT_WORD(rd_start, "rd_start", "ADDRESS",
          "where the boot module lies (Malta; QEMU says it by itself)");
BOOT_WORD(rd_size, "rd_size", "BYTES",
          "how long the boot module is (Malta; QEMU says it by itself)");

extern const char kernel_start[], kernel_end[];

static struct uart16550 com0;
static struct interrupt_line timer_line, pin2_line;
static struct interrupt_handler clock_handler;

static void malta_poweroff(void)
{
    piix4_pm_poweroff(&gt64120_bridge, PM_PORT);
}

static void malta_reboot(void)
{
    mmio_write32((volatile void *)(KSEG1_BASE + SOFT_RESET), RESET_MAGIC);
}

static size_t malta_inventory(unsigned line, const char **class, char *buffer, size_t size)
{
    static const char *const classes[] = {INVENTORY_PROCESSOR, INVENTORY_PROCESSOR,
                                          INVENTORY_MEMORY,    INVENTORY_INTERRUPT,
                                          INVENTORY_CLOCK,     INVENTORY_SERIAL};
    char name[64];

    if (line >= sizeof classes / sizeof classes[0])
        return 0;
    *class = classes[line];

    switch (line) {
    case 0:
        cpu_describe(name, sizeof name);
        return format(buffer, size, "CPU: %s", name);
    case 1:
        return format(buffer, size, "Processors: %u", cpu_count());
    case 2:
        return format(buffer, size, "Main memory size: %lu Mbytes",
                      (unsigned long)(machine_memory_size() + 0xfffff) >> 20);
    case 3:
        return format(buffer, size, "Interrupt controllers: CPU pins, two i8259");
    case 4:
        return format(buffer, size, "Cycle counter: CP0 Count, %lu Hz",
                      (unsigned long)clock_frequency());
    default:
        return format(buffer, size, "Serial port: 16550 at 0x%x, com0", COM0_PORT);
    }
}

struct interrupt_line *malta_level_line(unsigned irq)
{
    return i8259_level_line(irq, &pin2_line.count);
}

static struct interrupt_line *machine_malta_isa_line(unsigned irq)
{
    return i8259_line(irq, &pin2_line.count);
}

void machine_console(void)
{
    machine = (struct machine){"MIPS Malta", malta_poweroff, malta_reboot, malta_inventory,
                               .isa_line = machine_malta_isa_line};
    cpu_boot();
    uart16550_boot(&com0, "com0", COM0_PORT);
    console_attach(&com0.console);
    gt64120_boot(memory_map_device(GT64120, 4096)); /* switching off goes through it */
}

int machine_memory(const struct boot_info *info)
{
    memory_regions_add(info, memory_physical(kernel_start), memory_physical(kernel_end));
    return 0;
}

static void (*malta_timer_hold)(bool held);

/*
 * Masking the timer moves its deadline out of sight (Status.IM would come back with the interrupted
 * Status); the handler sets the next one when it runs. Who shares the pin holds itself back.
 */
static void malta_mask_timer(struct interrupt_line *line)
{
    (void)line;
    CP0_WRITE32(11, (uint32_t)cycles_now() - 1);
    if (malta_timer_hold)
        malta_timer_hold(true);
}

static void malta_unmask_timer(struct interrupt_line *line)
{
    (void)line;
    if (malta_timer_hold)
        malta_timer_hold(false);
}

static const struct interrupt_chip timer_chip = {
    "cpu0", false, NULL, malta_mask_timer, malta_unmask_timer, NULL};
static const struct interrupt_chip pin_chip = {"cpu0", false, NULL, NULL, NULL, NULL};

void machine_interrupts(void)
{
    i8259_boot(0);
    cpu_set_lines(&timer_line, &pin2_line, i8259_poll);
}

struct interrupt_line *malta_timer_line(void (*hold)(bool held))
{
    malta_timer_hold = hold;
    clock_handler.function = tick_interrupt_shared;
    return &timer_line;
}

struct interrupt_line *malta_isa_line(unsigned irq)
{
    return i8259_line(irq, &pin2_line.count);
}

void machine_devices(void)
{
    struct interrupt_line *pit_line;
    struct calibration measured;

    trap_boot();
    clock_set_wall_source(mc146818_seconds);
    strlcpy(pin2_line.name, "int 2", sizeof pin2_line.name);
    interrupt_line_attach(&pin2_line, &pin_chip, 2, true, "cpu0", NULL);
    strlcpy(timer_line.name, "timer", sizeof timer_line.name);
    interrupt_line_attach(&timer_line, &timer_chip, 7, true, "cpu0", NULL);
    i8259_line(7, &pin2_line.count);
    i8259_line(15, &pin2_line.count);
    pit_line = i8259_line(IRQ_PIT, &pin2_line.count);
    CP0_WRITE32(12, CP0_READ32(12) | CAUSE_IP0 | CAUSE_IP1 | CAUSE_IP2 | CAUSE_IP4);
    /* An R10000 on a Malta is GXemul, whose 8254 has no count to read. */
    measured = calibrate(pit_line, &(struct pit_clocks){.readable = !cpu_is_r10000()});
    interrupt_establish(&timer_line, IPL_SCHED, tick_interrupt, NULL, "clock", &clock_handler);
    CP0_WRITE32(12, CP0_READ32(12) | CAUSE_IP7);
    tick_start(measured.cycles_hz);
    uart16550_attach(&com0, i8259_line(IRQ_COM0, &pin2_line.count));
    log_printf("clock: Count at %lu Hz", (unsigned long)clock_frequency());
}
