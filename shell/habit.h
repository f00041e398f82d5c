/* SPDX-License-Identifier: BSD-2-Clause */
/* habit: commands of other systems that people type, and what does their work here. */
#ifndef SHELL_HABIT_H
#define SHELL_HABIT_H

/* What to type instead of NAME, in words; NULL if nothing is known. */
const char *habit_here(const char *name);

#endif
