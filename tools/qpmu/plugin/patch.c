/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction whose result is the plugin's is executed as it is, and its registers are changed
 * before the next one: so whatever else it does, and whatever it is refused for, happens as on this
 * QEMU without a plugin. What comes between is an interrupt, or the exception that it raises.
 */
#include "tools/qpmu/plugin/patch.h"

#include "tools/qpmu/plugin/progress.h"
#include "tools/qpmu/plugin/watch.h"

#define GENERAL 32u

/* x86's by their places in enum direct_register, a MIPS' by their numbers. */
static struct qemu_plugin_register *registers[GENERAL], *pc_register;

static bool find_mips(void)
{
    for (unsigned i = 0; i < GENERAL; i++)
        if (!(registers[i] = emu_register_numbered(i)))
            return false;
    return true;
}

static struct qemu_plugin_register *handle_of(const struct vcpu *cpu, enum direct_register which)
{
    return registers[mips ? cpu->direct.rt : (unsigned)which];
}

bool patch_find(void)
{
    static const char *const names[DIRECT_REGISTERS] = {"rax", "rcx", "rdx", "rbx", "rsp",
                                                        "rbp", "rsi", "rdi", "cr4"};
    bool all = true;

    if (mips)
        return find_mips();
    for (unsigned i = 0; i < DIRECT_REGISTERS; i++)
        all &= (registers[i] = emu_register_named(names[i])) != NULL;
    pc_register = emu_register_named("rip");
    return all && pc_register;
}

uint64_t patch_read(const struct vcpu *cpu, enum direct_register which)
{
    uint64_t value = 0;

    emu_register_read(handle_of(cpu, which), big, &value);
    return value;
}

bool patch_pc(uint64_t *pc)
{
    return emu_register_read(pc_register, big, pc);
}

void patch_write(const struct vcpu *cpu, enum direct_register which, uint64_t value)
{
    emu_register_write(handle_of(cpu, which), big, value);
}

void patch_later(struct vcpu *cpu, const struct step *step, enum direct_register which,
                 uint64_t keep, uint64_t value)
{
    cpu->direct.patch[which] = value;
    cpu->direct.keep[which] = keep;
    cpu->direct.patches |= (uint16_t)(1u << which);
    cpu->direct.patch_pc = step->pc;
    watch_set(cpu, WATCH_PATCH);
}

void patch_during(struct vcpu *cpu, const struct step *step, enum direct_register which,
                  uint64_t value)
{
    cpu->direct.restore[which] = patch_read(cpu, which);
    cpu->direct.restores |= (uint16_t)(1u << which);
    cpu->direct.patch_pc = step->pc;
    watch_set(cpu, WATCH_PATCH);
    patch_write(cpu, which, value);
}

void patch_apply(struct vcpu *cpu)
{
    struct direct *direct = &cpu->direct;

    for (unsigned i = 0; i < DIRECT_REGISTERS; i++) {
        enum direct_register which = (enum direct_register)i;

        if (direct->restores >> i & 1)
            patch_write(cpu, which, direct->restore[i]);
        if (direct->patches >> i & 1)
            patch_write(cpu, which,
                        (direct->keep[i] ? patch_read(cpu, which) & direct->keep[i] : 0) |
                            direct->patch[i]);
    }
    direct->restores = direct->patches = 0;
    *watch_of(cpu) &= ~(uint64_t)WATCH_PATCH;
}

void patch_discontinuity(struct vcpu *cpu, bool exception, uint64_t from)
{
    if (!(*watch_of(cpu) & WATCH_PATCH))
        return;
    if (exception && progress_same(from, cpu->direct.patch_pc))
        cpu->direct.patches = 0; /* it was not executed */
    patch_apply(cpu);
}
