/* SPDX-License-Identifier: BSD-2-Clause */
/* selftest, in the image without self-tests: says which one has them
 * (tests/kernel/selftest_command.c). */
#include "shell/command.h"
#include "shell/output.h"

static int selftest_run(int argc, char **argv)
{
    (void)argc;
    shell_printf("%s: this kernel has no self-tests: quipu-test has them (./quipu run --test)\n",
                 argv[0]);
    return 1;
}

COMMAND(selftest, .name = "selftest", .summary = "say where the kernel's own tests are",
        .usage = "selftest [-l] [NAME...]",
        .description =
            "This kernel is without them. The image quipu-test has them, and there selftest\n"
            "runs them: ./quipu run --test.\n"
            "\n"
            "Example: selftest\n",
        .run = selftest_run);
