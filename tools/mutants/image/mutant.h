/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which mutant runs: 0 is none. Every file of the mutants' image is compiled with this in front of
 * it (-include), so that no source names it.
 */
#ifndef MUTANT_H
#define MUTANT_H
#ifndef __ASSEMBLER__

#define MUTANT(number) __builtin_expect(mutant_chosen == (number), 0)

#if __STDC_HOSTED__ /* unit tests, libraries and the plugin: the environment says it */
extern char *getenv(const char *);
__attribute__((weak)) unsigned mutant_chosen;

static __attribute__((constructor)) void mutant_choose(void)
{
    const char *text = getenv("QUIPU_MUTANT");

    for (mutant_chosen = 0; text != (void *)0 && *text >= '0' && *text <= '9'; text++)
        mutant_chosen = mutant_chosen * 10 + (unsigned)(*text - '0');
}
#else /* the kernel: the word mutant=NUMBER says it */
extern unsigned mutant_chosen;
void mutant_choose(void);
#endif

#endif
#endif
