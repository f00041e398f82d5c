/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/qpmu_pc.h"

#include "tests/host/qpmu_emulator.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/word.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned pc_hypercalls;

static void hears(emu_access_call *call)
{
    pc_hypercalls += call == hypercall_made;
}

void pc_begin(enum qpmu_level level)
{
    static const qemu_info_t pc = {.target_name = "x86_64", .system = {2, 2}};
    static bool installed;

    if (!installed) {
        int file = memfd_create("memory-backend-memfd", 0);

        CHECK(file >= 0 && ftruncate(file, PC_RAM_SIZE) == 0);
        CHECK(mmap(NULL, PC_RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED);
        close(file);
        CHECK_EQUAL((uint64_t)qemu_plugin_install(1, &pc, 0, NULL), 0);
        for (unsigned cpu = 0; cpu < 2; cpu++)
            emulator.listener.cpu_begins(cpu);
        installed = true;
    }
    blocks_forgotten();
    for (unsigned cpu = 0; cpu < 2; cpu++)
        memset(vcpus[cpu].used, 0, sizeof(vcpus[cpu].used));
    emulator.forget_done = NULL;
    pc_hypercalls = 0;
    emulator.hears = hears;
    level_begin(level);
}

struct vcpu *pc_counts(enum qpmu_event event)
{
    vcpus[0].always = 1ull << event;
    vcpu_choose(&vcpus[0]);
    return &vcpus[0];
}

void pc_counts_no_more(void)
{
    vcpus[0].always = 0;
    vcpu_choose(&vcpus[0]);
    word_leave(&vcpus[0], &no_block);
}

uint64_t pc_instructions(void)
{
    uint64_t counted;

    room_take(&vcpus[0]);
    counted = vcpus[0].pmu.raw[QPMU_INSTRUCTIONS];
    room_give(&vcpus[0]);
    return counted;
}

void pc_reset_happens(void)
{
    void (*done)(void) = emulator.forget_done;

    CHECK(done != NULL);
    emulator.forget_done = NULL;
    blocks_forgotten();
    if (done)
        done();
}

void pc_translate(uint64_t pc, const char *bytes, size_t size)
{
    struct qemu_plugin_tb block = {1, {{pc, bytes, size}}};

    block_translated(&block);
}
