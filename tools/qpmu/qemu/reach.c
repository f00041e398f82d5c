/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a call can do to the CPU and the machine beside reading: devices' registers, and leaving a
 * block in its middle. Of QEMU's own symbols, which are not of its plugin interface, there are
 *
 *   cpu_restore_state     makes the CPU's state what it is before the instruction that calls
 *   async_run_on_cpu, address_space_rw   under -icount QEMU ends itself if a call raises an
 *                         interrupt; what these run happens behind the block
 *   use_icount            whether that is so
 *
 * Each is looked at as it is found, and there is a way without: an interrupt then waits for the
 * beginning of a block; under -icount it stays away.
 */
#include "tools/qpmu/qemu/abi.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define GENERAL_PROTECTION 13

bool emu_is_public_only;

void emu_public_only(void)
{
    emu_is_public_only = true;
}

static GByteArray *bytes_of(const void *from, unsigned length)
{
    static _Thread_local GByteArray *bytes;

    if (!bytes)
        bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, length);
    if (from)
        memcpy(bytes->data, from, length);
    return bytes;
}

bool emu_physical_read(uint64_t address, uint32_t *value)
{
    GByteArray *bytes = bytes_of(NULL, sizeof(*value));

    if (qemu_plugin_read_memory_hwaddr(address, bytes, sizeof(*value)) != 0 ||
        bytes->len < sizeof(*value))
        return false;
    memcpy(value, bytes->data, sizeof(*value));
    return true;
}

/* --- writing ---------------------------------------------------------------------------------- */

struct later {
    uint64_t address;
    uint32_t value;
    unsigned size;
};

static void write_now(void *cpu, uint64_t arg)
{
    struct later *later = (struct later *)(uintptr_t)arg;

    (void)cpu;
    address_space_rw(&address_space_memory, later->address, 0, &later->value, later->size, true);
    free(later);
}

static bool write_later(unsigned cpu, uint64_t address, uint32_t value, unsigned size)
{
    struct later *later;

    if (emu_is_public_only || !async_run_on_cpu || !address_space_rw ||
        &address_space_memory == NULL || !qemu_get_cpu)
        return false;
    later = malloc(sizeof(*later));
    if (!later)
        return false;
    *later = (struct later){address, value, size};
    async_run_on_cpu(qemu_get_cpu((int)cpu), write_now, (uintptr_t)later);
    return true;
}

/* The variable that says so is an enumeration, 0: no. */
bool emu_counts_instructions(void)
{
    return &use_icount != NULL && use_icount != 0;
}

bool emu_physical_write(unsigned cpu, uint64_t address, uint32_t value, unsigned size)
{
    if (emu_counts_instructions())
        return write_later(cpu, address, value, size);
    return qemu_plugin_write_memory_hwaddr(address, bytes_of(&value, size)) == 0;
}

/* --- leaving a block -------------------------------------------------------------------------- */

bool emu_unwinds(void)
{
    return !emu_is_public_only && cpu_restore_state && qemu_get_cpu;
}

/* A return address lies behind the call; the instruction that it is of is found by one inside. */
bool emu_unwind(unsigned cpu, uintptr_t code)
{
    return emu_unwinds() && cpu_restore_state(qemu_get_cpu((int)cpu), code - 1);
}

size_t emu_size_of(void *object)
{
    return malloc_usable_size(object);
}

/* Where QEMU has the CPU's state: somewhere in the CPU's object, and it begins with what the
 * registers are. */
static void *state_of(char *object, const uint64_t registers[8])
{
    size_t size = emu_size_of(object);

    for (size_t at = 0; at + 8 * sizeof(uint64_t) <= size; at += sizeof(uint64_t))
        if (memcmp(object + at, registers, 8 * sizeof(uint64_t)) == 0)
            return object + at;
    return NULL;
}

void emu_raise_protection(unsigned cpu, uintptr_t code, const uint64_t registers[8])
{
    void *state;

    if (!emu_unwinds() || !raise_exception_err_ra)
        return;
    state = state_of(qemu_get_cpu((int)cpu), registers);
    if (state)
        raise_exception_err_ra(state, GENERAL_PROTECTION, 0, code - 1);
}

void emu_set_pc(uint64_t pc)
{
    qemu_plugin_set_pc(pc);
    abort(); /* it does not come back */
}
