/* SPDX-License-Identifier: BSD-2-Clause */
/* The PC: which chips there are, where, and how their lines reach the CPU. The only place that
 * knows, but for pc_pci.c and pc_pmu.c. */
#include "boot/machine_pc.h"
#include <arch/cpu.h>
#include <arch/event_timer.h>
#include <arch/interrupt_flag.h>
#include <arch/io.h>
#include <arch/memory.h>
#include "arch/x86_64/smp.h"
#include "arch/x86_64/vector.h"
#include "boot/acpi_madt.h"
#include "boot/boot_info.h"
#include "boot/calibrate.h"
#include "boot/memory_regions.h"
#include "drivers/i8259.h"
#include "drivers/ioapic.h"
#include "drivers/lapic.h"
#include "drivers/mc146818.h"
#include "drivers/pci_ports.h"
#include "drivers/piix4_pm.h"
#include "drivers/pit.h"
#include "drivers/uart16550.h"
#include "kernel/base/boot_word.h"
#include "kernel/thread/tick.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/base/inventory.h"
#include "kernel/base/log.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "kernel/base/panic.h"
#include "kernel/thread/scheduler.h"
#include "kernel/thread/standstill.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"

#define COM0_PORT      0x3f8
#define IRQ_PIT        0
#define IRQ_COM0       4
#define LOW_MEMORY_END 0x100000ul
#define PM_PORT        0x600
#define KEYBOARD       0x64
#define PULSE_RESET    0xfe

BOOT_WORD(apic, "apic", "off", "use the i8259 and the 8254 instead of LAPIC and I/O APIC (PC)");

extern const char kernel_start[], kernel_end[];

static SHARED_BSS struct uart16550 com0;
static bool use_apic;
static unsigned ioapic_pins;
static SHARED_BSS struct acpi_madt madt;
static SHARED_BSS struct smp_board cpus;
static SHARED_BSS struct interrupt_line timer_line, spurious_line, ipi_lines[SMP_IPIS];
static SHARED_BSS struct interrupt_handler clock_handler, ipi_handlers[SMP_IPIS];
static const struct smp_controller controller = {lapic_enable,    lapic_timer_start_here,
                                                 lapic_send,      lapic_send_nmi,
                                                 lapic_send_init, lapic_send_startup};

static void pc_poweroff(void)
{
    piix4_pm_poweroff(&pci_ports, PM_PORT);
}

static void pc_reboot(void)
{
    for (unsigned i = 0; i < 1000 && io_read8(KEYBOARD) & 2; i++)
        ;
    io_write8(KEYBOARD, PULSE_RESET);
}

static size_t pc_inventory(unsigned line, const char **class, char *buffer, size_t size)
{
    static const char *const classes[] = {
        INVENTORY_PROCESSOR, INVENTORY_PROCESSOR, INVENTORY_MEMORY, INVENTORY_INTERRUPT,
        INVENTORY_CLOCK,     INVENTORY_CLOCK,     INVENTORY_SERIAL};
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
                      (unsigned long)((machine_memory_size() + 0xfffff) >> 20));
    case 3:
        return format(buffer, size, "Interrupt controllers: %s",
                      use_apic ? "LAPIC, I/O APIC" : "two i8259");
    case 4:
        return format(buffer, size, "Event timer: %s", use_apic ? "LAPIC" : "8254");
    case 5:
        return format(buffer, size, "Cycle counter: TSC, %lu Hz", (unsigned long)clock_frequency());
    default:
        return format(buffer, size, "Serial port: 16550 at 0x%x, com0", COM0_PORT);
    }
}

void machine_console(void)
{
    machine = (struct machine){"PC", pc_poweroff, pc_reboot, pc_inventory, .isa_line = pc_isa_line};
    cpu_boot();
    uart16550_boot(&com0, "com0", COM0_PORT);
    console_attach(&com0.console);
}

int machine_memory(const struct boot_info *info)
{
    static struct boot_info usable SHARED_BSS;

    usable.module = info->module;
    for (unsigned i = 0; i < info->ram_count; i++) {
        struct boot_range range = info->ram[i];

        if (range.start < LOW_MEMORY_END)
            range.start = LOW_MEMORY_END; /* firmware's and the loader's */
        if (range.start < 0x100000000ul && range.end > 0x100000000ul)
            range.end = 0x100000000ul;
        boot_info_add_ram(&usable, range.start, range.end);
    }
    /* Memory below 4 GiB first: it holds the page tables for what is above. */
    for (unsigned i = 0; i < usable.ram_count; i++)
        if (usable.ram[i].start >= 0x100000000ul && usable.ram_count > 1) {
            struct boot_range high = usable.ram[i];

            usable.ram_count = i;
            memory_regions_add(&usable, memory_physical(kernel_start), memory_physical(kernel_end));
            paging_protect();
            if (paging_add_ram(high.start, high.end) != 0)
                return -1;
            usable.ram[0] = high;
            usable.ram_count = 1;
            memory_regions_add(&usable, 0, 0);
            return 0;
        }
    memory_regions_add(&usable, memory_physical(kernel_start), memory_physical(kernel_end));
    paging_protect();
    return 0;
}

static bool machine_pc_apic_present(void)
{
    const char *word = boot_word_value("apic");
    uint32_t features[4];

    cpuid(1, features);
    return (features[3] & 1u << 9) &&
           !(word && strcmp(word, "off") == 0); /* CPUID 1 EDX bit 9: APIC */
}

bool pc_uses_apic(void)
{
    return use_apic;
}

struct interrupt_line *pc_isa_line(unsigned irq)
{
    struct interrupt_line *line;
    const struct madt_isa *wire = &madt.isa[irq];
    unsigned pin = wire->gsi - madt.ioapic_gsi;

    if (!use_apic) {
        line = i8259_line(irq, NULL);
        vector_set(VECTOR_I8259 + irq, line);
        return line;
    }
    if (pin >= ioapic_pins)
        panic("boot: ISA interrupt %u is at pin %u of an I/O APIC with %u", irq, pin, ioapic_pins);
    line = ioapic_line(pin, wire->level, wire->active_low);
    vector_set(VECTOR_IOAPIC + pin, line);
    return line;
}

struct interrupt_line *pc_level_line(unsigned irq)
{
    struct interrupt_line *line;
    unsigned pin;

    if (irq == 0 || irq >= MADT_ISA_IRQS)
        return NULL;
    if (!use_apic) {
        line = i8259_level_line(irq, NULL);
        vector_set(VECTOR_I8259 + irq, line);
        return line;
    }
    pin = madt.isa[irq].gsi - madt.ioapic_gsi;
    if (pin >= ioapic_pins)
        return NULL;
    line = ioapic_line(pin, true, madt.isa[irq].active_low);
    vector_set(VECTOR_IOAPIC + pin, line);
    return line;
}

/* Numbers the CPUs: this one is 0, the others follow in the table's order, as far as there is room.
 */
static void machine_pc_number_cpus(void)
{
    uint32_t self = lapic_id();

    cpus.controller = &controller;
    cpus.apic[0] = self;
    cpus.cpus = 1;
    for (unsigned i = 0; i < madt.cpus && i < MADT_CPUS && cpus.cpus < CPU_MAX; i++)
        if (madt.apic_ids[i] != self)
            cpus.apic[cpus.cpus++] = madt.apic_ids[i];
    if (madt.cpus > cpus.cpus)
        log_printf("smp: %u CPUs found, %u used", madt.cpus, cpus.cpus);
    smp_set_board(&cpus);
}

void machine_interrupts(void)
{
    acpi_madt_read(&madt);
    i8259_boot(VECTOR_I8259);
    use_apic = machine_pc_apic_present();
    if (use_apic) {
        lapic_boot(memory_map_device(madt.lapic, PAGE_SIZE), VECTOR_SPURIOUS);
        machine_pc_number_cpus();
        ioapic_pins = ioapic_boot(memory_map_device(madt.ioapic, PAGE_SIZE), VECTOR_IOAPIC,
                                  lapic_acknowledge, smp_apic);
        use_apic = ioapic_pins != 0;
    }
    if (!use_apic) {
        cpus.cpus = 1;
        if (madt.cpus > 1)
            log_printf("smp: %u CPUs found, 1 used: without the APIC none can be started",
                       madt.cpus);
    }
}

/* Interrupts from CPU to CPU. */
static void machine_pc_attach_ipis(void)
{
    static const struct {
        const char *name, *device;
        int (*handler)(void *);
    } ipis[SMP_IPIS] = {
        [SMP_RESCHEDULE] = {"reschedule", "scheduler", scheduler_interrupt},
        [SMP_CALL] = {"call", "cross call", cross_call_interrupt},
        [SMP_TLB] = {"TLB shootdown", "TLB", cross_call_interrupt},
        [SMP_STANDSTILL] = {"standstill", "standstill", standstill_interrupt},
    };

    for (unsigned i = 0; i < SMP_IPIS && cpu_possible() > 1; i++) {
        struct interrupt_line *line = &ipi_lines[i];

        strlcpy(line->name, ipis[i].name, sizeof line->name);
        interrupt_line_attach(line, &lapic_chip, i, false, "cpu", NULL);
        interrupt_establish(line, IPL_SCHED, ipis[i].handler, NULL, ipis[i].device,
                            &ipi_handlers[i]);
        vector_set(i == SMP_STANDSTILL ? VECTOR_STANDSTILL : VECTOR_IPI + i, line);
    }
}

/* The clock's line: the LAPIC's own timer, or the 8254, whose line is there already. */
static void machine_pc_start_clock(struct interrupt_line *pit_line, struct calibration measured)
{
    if (use_apic) {
        strlcpy(timer_line.name, "timer", sizeof timer_line.name);
        interrupt_line_attach(&timer_line, &lapic_chip, 0, false, cpu_group(), NULL);
        interrupt_establish(&timer_line, IPL_SCHED, tick_interrupt, NULL, "clock", &clock_handler);
        vector_set(VECTOR_TIMER, &timer_line);
        lapic_timer_start(measured.timer_hz, measured.cycles_hz, VECTOR_TIMER);
        event_timer_device = lapic_timer_arm;
    } else {
        interrupt_establish(pit_line, IPL_SCHED, tick_interrupt, NULL, "clock", &clock_handler);
        pit_timer_start(measured.cycles_hz);
        event_timer_device = pit_timer_arm;
    }
    tick_start(measured.cycles_hz);
}

/* Lines that only ever bring what nobody asked for. */
static void machine_pc_attach_spurious_lines(void)
{
    cpu_boot_lines();
    if (use_apic) {
        strlcpy(spurious_line.name, "spurious vector", sizeof spurious_line.name);
        interrupt_line_attach(&spurious_line, &lapic_spurious_chip, 0, false, "lapic0", NULL);
        vector_set(VECTOR_SPURIOUS, &spurious_line);
    } else {
        pc_isa_line(7);
        pc_isa_line(15);
    }
}

void machine_devices(void)
{
    struct interrupt_line *pit_line = pc_isa_line(IRQ_PIT);

    trap_boot();
    machine_pc_attach_spurious_lines();
    clock_set_wall_source(mc146818_seconds);
    if (use_apic)
        lapic_timer_free_run();
    machine_pc_start_clock(
        pit_line, calibrate(pit_line, &(struct pit_clocks){use_apic ? lapic_timer_count : NULL,
                                                           !madt.isa[IRQ_PIT].told, true}));
    machine_pc_attach_ipis();
    uart16550_attach(&com0, pc_isa_line(IRQ_COM0));
    log_printf("clock: TSC at %lu Hz, ticks from the %s", (unsigned long)clock_frequency(),
               use_apic ? "LAPIC" : "8254");
}
