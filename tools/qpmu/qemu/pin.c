/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An input pin of a MIPS CPU. QEMU has an object for each of the first CPU's eight, and an array of
 * them in the CPU's own object; neither is of its plugin interface. On a Malta two of them have
 * names besides, since devices drive them: the i8259's output pin 2, the CBUS UART pin 4. So the
 * array is where these two stand at their distance. What QEMU itself drives by the array, the
 * timer, shares a pin with us by a gate that takes the pin's place there: the pin is up as long as
 * either of the two wants it to be.
 */
#include "tools/qpmu/qemu/abi.h"

#define PINS  8u
#define PIC   2u
#define UART  4u
#define NAMED "/machine/unattached/non-qdev-gpio"
#define QEMUS 1u
#define OURS  2u
#define FIRST 0

static void *pin;       /* QEMU's, behind the gate */
static unsigned wanted; /* QEMUS and OURS */

/* The timer may expire in another thread: whoever has shown what is no longer so shows it again. */
static void show(void)
{
    unsigned shown;

    do {
        shown = __atomic_load_n(&wanted, __ATOMIC_SEQ_CST);
        qemu_set_irq(pin, shown != 0);
    } while (shown != __atomic_load_n(&wanted, __ATOMIC_SEQ_CST));
}

static void want(unsigned who, bool up)
{
    if (up)
        __atomic_or_fetch(&wanted, who, __ATOMIC_SEQ_CST);
    else
        __atomic_and_fetch(&wanted, ~who, __ATOMIC_SEQ_CST);
    show();
}

static void gate(void *unused, int number, int level)
{
    (void)unused;
    (void)number;
    want(QEMUS, level != 0);
}

static void **pins_of(char *cpu)
{
    void *first = object_resolve_path(NAMED "[0]", NULL);
    void *second = object_resolve_path(NAMED "[1]", NULL);
    size_t size = emu_size_of(cpu);

    for (size_t at = 0; first && second && at + sizeof(void *[PINS]) <= size;
         at += sizeof(void *)) {
        void **pins = (void **)(cpu + at);

        if ((pins[PIC] == first && pins[UART] == second) ||
            (pins[PIC] == second && pins[UART] == first))
            return pins;
    }
    return NULL;
}

bool emu_pin_join(unsigned number)
{
    void **pins, *ours;

    if (emu_is_public_only || !object_resolve_path || !qemu_get_cpu || !qemu_set_irq ||
        !qemu_allocate_irq || (emu_counts_instructions() && !async_run_on_cpu))
        return false;
    pins = pins_of(qemu_get_cpu(FIRST));
    if (!pins || number >= PINS || !pins[number])
        return false;
    ours = qemu_allocate_irq(gate, NULL, (int)number);
    pin = pins[number];
    pins[number] = ours;
    return true;
}

static void want_later(void *cpu, uint64_t up)
{
    (void)cpu;
    want(OURS, up != 0);
}

void emu_pin(bool up)
{
    if (emu_counts_instructions())
        async_run_on_cpu(qemu_get_cpu(FIRST), want_later, up);
    else
        want(OURS, up);
}

void emu_pin_reset(void)
{
    __atomic_store_n(&wanted, 0, __ATOMIC_SEQ_CST);
}
