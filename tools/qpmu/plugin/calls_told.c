/* SPDX-License-Identifier: BSD-2-Clause */
/* What a guest's stacks held before anybody followed its calls: struct qpmu_stack of qpmu.h. */
#include "tools/qpmu/plugin/calls.h"

#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/vcpu.h"

void calls_told(uint64_t place)
{
    const struct qpmu_stack *told = page_stack(place);
    struct shadow_at where = {.stack = NULL};
    struct shadow_tag tag = {0};
    uint32_t count = told ? page_get32(&told->count) : 0;

    if (count == 0 || count > QPMU_STACK_FRAMES || !level_calls())
        return;
    shadow_begin(&where, page_get32(&told->whole) != 0);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t back = page_get64(&told->frame[i].back), at = page_get64(&told->frame[i].place);
        uint64_t in_ram;
        struct shadow_tag *beside;

        if (at == 0) {
            tag = (struct shadow_tag){0};
            shadow_interrupt(&where, SHADOW_INTERRUPTED, back, back);
            continue;
        }
        if (!page_place(at & ~(uint64_t)QPMU_STACK_ALSO, &in_ram) || page_number(in_ram, 8) != back)
            return;
        if (!(at & QPMU_STACK_ALSO) || tag.back != back)
            tag = shadow_call(&where, back - (mips ? 8 : 1), back, 0);
        beside = shadow_tag_at(in_ram, true);
        if (beside)
            *beside = tag;
    }
}
