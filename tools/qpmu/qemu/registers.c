/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's registers and memory, which QEMU tells from version 2 and 4 of its plugin interface on.
 */
#include "tools/qpmu/qemu/abi.h"

#include <string.h>

/* The array stays: it is asked for a few times in a run. */
static GArray *all_registers(void)
{
    return emu.registers ? qemu_plugin_get_registers() : NULL;
}

struct qemu_plugin_register *emu_register_named(const char *name)
{
    GArray *all = all_registers();

    for (unsigned i = 0; all && i < all->len; i++) {
        const qemu_plugin_reg_descriptor *one =
            (const void *)(all->data + i * g_array_get_element_size(all));

        if (!strcmp(one->name, name))
            return one->handle;
    }
    return NULL;
}

/* How QEMU makes a handle of a number: one more, and since descriptors say what is read-only, that
 * doubled, to keep a bit for it. */
struct qemu_plugin_register *emu_register_numbered(unsigned number)
{
    GArray *all = all_registers();
    uintptr_t handle = number + 1u;

    if (!all)
        return NULL;
    if (g_array_get_element_size(all) >= sizeof(qemu_plugin_reg_descriptor))
        handle <<= 1;
    return (struct qemu_plugin_register *)handle;
}

/* One for each thread, for good. */
static GByteArray *buffer(void)
{
    static _Thread_local GByteArray *bytes;

    if (!bytes)
        bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, 0);
    return bytes;
}

bool emu_register_read(struct qemu_plugin_register *handle, bool big, uint64_t *value)
{
    GByteArray *bytes;
    int answer;

    if (!handle)
        return false;
    bytes = buffer();
    answer = qemu_plugin_read_register(handle, bytes);
    /* Only the lowest byte of a bool is an answer. */
    if ((emu.api >= 6 ? (answer & 0xff) == 0 : answer <= 0) || bytes->len == 0)
        return false;
    *value = 0;
    for (unsigned i = 0; i < bytes->len && i < 8; i++) {
        unsigned at = big ? bytes->len - 1 - i : i;

        *value |= (uint64_t)bytes->data[at] << 8 * i;
    }
    return true;
}

/* As many bytes as it has are what reading it says. */
bool emu_register_write(struct qemu_plugin_register *handle, bool big, uint64_t value)
{
    uint64_t before;
    GByteArray *bytes;

    if (!emu.writes || !emu_register_read(handle, big, &before))
        return false;
    bytes = buffer();
    qemu_plugin_read_register(handle, bytes);
    for (unsigned i = 0; i < bytes->len; i++) {
        unsigned at = big ? bytes->len - 1 - i : i;

        bytes->data[at] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
    }
    return (qemu_plugin_write_register(handle, bytes) & 0xff) != 0;
}

bool emu_memory_read(uint64_t address, uint8_t *bytes, size_t length)
{
    GByteArray *got;

    if (emu.api < 4)
        return false;
    got = buffer();
    if (!qemu_plugin_read_memory_vaddr(address, got, length) || got->len < length)
        return false;
    memcpy(bytes, got->data, length);
    return true;
}
