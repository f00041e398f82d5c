/* SPDX-License-Identifier: BSD-2-Clause */
/* See inventory.h. */
#include "kernel/base/inventory.h"
#include "kernel/base/machine.h"

#define LINE_BYTES 160

static bool inventory_of_board(inventory_put *put, void *argument)
{
    char line[LINE_BYTES];
    const char *class;

    for (unsigned i = 0; machine.inventory(i, &class, line, sizeof line) != 0; i++)
        if (!put(class, line, argument))
            return false;
    return true;
}

void inventory_each(inventory_put *put, void *argument)
{
    const struct inventory *const *member;
    char line[LINE_BYTES];

    if (!inventory_of_board(put, argument))
        return;
    LINKER_SET_FOREACH (member, inventories)
        for (unsigned i = 0; (*member)->line(i, line, sizeof line) != 0; i++)
            if (!put((*member)->class, line, argument))
                return;
}
