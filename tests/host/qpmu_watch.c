/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an overflow's interrupt is raised: tools/qpmu/plugin/watch.c, as on a Malta. */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/watch.h"
#include "tools/qpmu/plugin/word.h"

#include <stdio.h>
#include <stdlib.h>

#define PC   0xffffffff80100000ull
#define ADD  "\x21\x10\x43\x00", 4 /* addu $2, $2, $3 */
#define BEQZ "\x03\x00\x40\x10", 4 /* beqz $2, 12 bytes behind its slot */

/* What the plugin says at the machine's end; to be freed. */
static char *said_at_the_end(void)
{
    FILE *errors = stderr;
    char *text = NULL;
    size_t size;

    stderr = open_memstream(&text, &size);
    watch_ended();
    fclose(stderr);
    stderr = errors;
    return text;
}

static void enter(const struct block *block)
{
    static emu_call *call;

    if (!call)
        call = emulator.entered;
    call(0, (void *)(uintptr_t)block);
}

static void reaches(const struct step *step)
{
    watch_ask(NULL, step);
    if (setjmp(emulator.left) == 0)
        emulator.executed(0, emulator.executed_arg);
}

/* The block has been executed up to its instruction AT, which overflows. */
static void overflows(struct vcpu *cpu, const struct block *block, unsigned at)
{
    enter(block);
    cpu->pmu.counter[0].interrupt = true;
    cpu->pmu.global_status = 1;
    room_take(cpu);
    cpu->direct = (struct direct){
        .interrupt_due = true,
        .due_at = cpu->pmu.raw[QPMU_INSTRUCTIONS] + at + 1,
    };
    room_give(cpu);
    watch_set(cpu, WATCH_INTERRUPT);
}

static void is_raised(const struct vcpu *cpu, const struct step *step, const char *end)
{
    char *said;

    CHECK(!cpu->direct.interrupt_due && cpu->direct.line);
    CHECK_EQUAL(*watch_of(cpu), 0);
    CHECK_EQUAL(emulator.pc, step->pc);
    said = said_at_the_end();
    CHECK_TEXT(said, end);
    free(said);
}

/* An overflow in a branch is raised behind its delay slot, which is when it is due; in another
 * instruction, at the one behind it. One that comes later is said to have. */
TEST(qpmu_plugin_interrupt_behind_a_slot)
{
    struct qemu_plugin_tb translation = {3, {{PC, ADD}, {PC + 4, BEQZ}, {PC + 8, ADD}}};
    struct vcpu *cpu = &vcpus[0];
    const struct block *block, *next;

    mips = true;
    pc_begin(QPMU_LEVEL_BLOCKS);
    pc_counts(QPMU_INSTRUCTIONS);
    block_translated(&translation);
    block = emulator.entered_arg;
    pc_translate(PC + 12, ADD);
    next = emulator.entered_arg;
    overflows(cpu, block, 0);
    reaches(&block->steps[1]);
    is_raised(cpu, &block->steps[1], "");
    overflows(cpu, block, 1);
    reaches(&block->steps[2]);
    CHECK(cpu->direct.interrupt_due && !cpu->direct.line);
    enter(next);
    reaches(&next->steps[0]);
    is_raised(cpu, &next->steps[0], "");
    for (unsigned at = 2; at-- > 0;) {
        overflows(cpu, block, at * 2);
        enter(next);
        reaches(&next->steps[0]);
        is_raised(cpu, &next->steps[0],
                  at > 0 ? ""
                         : "qpmu: 1 of 4 overflows interrupted some instructions late, since this "
                           "QEMU does not let a plugin leave a block anywhere\n");
    }
    cpu->pmu.counter[0].interrupt = false;
    cpu->pmu.global_status = 0;
    cpu->direct = (struct direct){0};
    pc_counts_no_more();
    mips = false;
}
