/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel word that chooses a mutant. Linked into the mutants' image only. */
#include "kernel/base/boot_word.h"
#include "lib/number.h"

unsigned mutant_chosen;

BOOT_WORD(mutant, "mutant", "NUMBER", "which mutant runs; 0 is none (mutants' image only)");

void mutant_choose(void)
{
    const char *text = boot_word_value("mutant");
    uint64_t number;

    if (text && parse_u64(text, 10, &number) == 0)
        mutant_chosen = (unsigned)number;
}
