/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract, for self-tests and `panic -t`: faults and interrupts on purpose. */
#pragma once

/* Deliberate faults: name and what it does; NULL name ends the list. */
struct trap_provocation {
    const char *name;
    const char *help;
    void (*run)(void);
};
extern const struct trap_provocation trap_provocations[];

/*
 * Interrupts that no device has asked for, one each time that RUN is called (interrupts on), on the
 * line with the counters GROUP / LINE. The last has no LINE; a board may be without
 * some of the controllers.
 */
struct interrupt_provocation {
    const char *group, *line;
    void (*run)(void);
};
extern const struct interrupt_provocation interrupt_provocations[];
