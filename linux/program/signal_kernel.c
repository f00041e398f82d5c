/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's signals, and their names: see signal_kernel.h. */
#include "linux/program/signal_kernel.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define NAMED(name) [SIG##name] = #name
static const char *const signal_names[] = {
    NAMED(HUP),  NAMED(INT),  NAMED(QUIT), NAMED(ILL),  NAMED(TRAP),   NAMED(ABRT),
    NAMED(BUS),  NAMED(FPE),  NAMED(KILL), NAMED(USR1), NAMED(SEGV),   NAMED(USR2),
    NAMED(PIPE), NAMED(ALRM), NAMED(TERM), NAMED(CHLD), NAMED(CONT),   NAMED(STOP),
    NAMED(TSTP), NAMED(TTIN), NAMED(TTOU), NAMED(URG),  NAMED(XCPU),   NAMED(XFSZ),
    NAMED(PROF), NAMED(IO),   NAMED(PWR),  NAMED(SYS),  NAMED(VTALRM), NAMED(WINCH)};
#define NAMES (sizeof signal_names / sizeof signal_names[0])

const char *signal_kernel_name(int signal)
{
    unsigned at = (unsigned)signal;

    return at < NAMES ? signal_names[at] : NULL; /* nothing is called 0 */
}

static char signal_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool signal_is_named(const char *name, const char *text)
{
    while (*name != '\0' && *name == signal_upper(*text))
        name++, text++;
    return *name == '\0' && *text == '\0';
}

int signal_kernel_number(const char *name)
{
    if (signal_upper(name[0]) == 'S' && signal_upper(name[1]) == 'I' &&
        signal_upper(name[2]) == 'G')
        name += 3;
    for (size_t i = 1; i < NAMES; i++)
        if (signal_names[i] && signal_is_named(signal_names[i], name))
            return (int)i;
    return 0;
}

int signal_kernel_send(int64_t id, int signal)
{
    struct abi_siginfo info;
    struct program_group *group;
    struct program *program;
    uintptr_t state;
    bool there;

    if (signal < 0 || signal > ABI_SIGNALS)
        return -EINVAL;
    memset(&info, 0, sizeof info);
    info.head.signo = signal;
    info.head.code = SI_USER;
    state = spinlock_acquire(&program_lock);
    program = id > 0 ? program_find((uint32_t)id) : NULL;
    group = id < 0 ? program_group_find((uint32_t)-id) : NULL;
    there = program || group;
    if (program && signal != 0)
        signal_send_program(program, signal, &info);
    if (group && signal != 0)
        signal_send_group((uint32_t)-id, signal, &info);
    spinlock_release(&program_lock, state);
    return there ? 0 : -ESRCH;
}
