/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal's ioctls: ioctl_tty(2). */
#include "linux/program_private.h"
#include "linux/tty.h"
#include "linux/tty_private.h"

static long tty_set_termios(uintptr_t argument)
{
    struct abi_termios new;

    if (copyin((const void *)argument, &new, sizeof new) != 0)
        return -EFAULT;
    tty.termios = new;
    tty_own();
    return 0;
}

static long tty_set_group(uintptr_t argument)
{
    struct program_group *group;
    uintptr_t state;
    int32_t id;
    long result = 0;

    if (copyin((const void *)argument, &id, sizeof id) != 0)
        return -EFAULT;
    state = spinlock_acquire(&program_lock);
    group = id > 0 ? program_group_find((uint32_t)id) : NULL;
    if (id < 0)
        result = -EINVAL;
    else if (!group || group->session != tty.session)
        result = -EPERM;
    else
        tty.group = (uint32_t)id;
    spinlock_release(&program_lock, state);
    return result;
}

static long tty_take_session(void)
{
    const struct program *program = task_current()->program;

    if (program->group->session != program->id)
        return -EPERM;
    tty_console_take(program->id, program->group->id);
    return 0;
}

long tty_control(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    (void)file;
    (void)user;
    switch (command) {
    case TCGETS:
        return copyout(&tty.termios, (void *)argument, sizeof tty.termios);
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
        return tty_set_termios(argument);
    case TIOCGWINSZ:
        return copyout(&tty.size, (void *)argument, sizeof tty.size);
    case TIOCSWINSZ:
        return copyin((const void *)argument, &tty.size, sizeof tty.size);
    case TIOCGPGRP:
        return copyout(&tty.group, (void *)argument, sizeof tty.group);
    case TIOCSPGRP:
        return tty_set_group(argument);
    case TIOCGSID:
        return copyout(&tty.session, (void *)argument, sizeof tty.session);
    case TIOCSCTTY:
        return tty_take_session();
    case TIOCNOTTY:
    case TCSBRK:
    case TCXONC:
    case TCFLSH:
        return 0;
    default:
        return -ENOTTY;
    }
}
