/* SPDX-License-Identifier: BSD-2-Clause */
/* ps_form: what ps shows when it is given options. The core, which has no processes, has none. */
#ifndef SHELL_PS_FORM_H
#define SHELL_PS_FORM_H

#include "lib/linker_set.h"

/* One at most. */
struct ps_form {
    int (*run)(int argc, char **argv);
};
#define PS_FORM(ident, function)                                                                   \
    static const struct ps_form ident = {function};                                                \
    LINKER_SET_ADD(ps_forms, ident)

#endif
