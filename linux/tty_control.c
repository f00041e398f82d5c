/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal's ioctls: ioctl_tty(2). */
#include "linux/program_private.h"
#include "linux/tty.h"
#include "linux/tty_private.h"

/* What a reader has begun to wait for is his. */
static long tty_flush(uintptr_t what)
{
    if (what > TCIOFLUSH)
        return -EINVAL;
    if (what != TCOFLUSH && mutex_tryenter(&tty.lock)) {
        tty_drop_input();
        mutex_exit(&tty.lock);
    }
    return 0;
}

static long tty_count_input(uintptr_t argument)
{
    int32_t count = 0;

    if (mutex_tryenter(&tty.lock)) {
        if (!(tty.termios.lflag & ICANON))
            count = (int32_t)(tty.used - tty.taken + console_input_waiting());
        else if (tty_has_input())
            count = (int32_t)(tty.used - tty.taken);
        mutex_exit(&tty.lock);
    }
    return copyout(&count, (void *)argument, sizeof count);
}

/* FLUSH: what has come and was not read is dropped. */
static long tty_set_termios(uintptr_t argument, bool flush)
{
    struct abi_termios new;

    if (copyin((const void *)argument, &new, sizeof new) != 0)
        return -EFAULT;
    tty.termios = new;
    tty_own();
    return flush ? tty_flush(TCIFLUSH) : 0;
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
        return tty_set_termios(argument, false);
    case TCSETSF:
        return tty_set_termios(argument, true);
    case FIONREAD:
        return tty_count_input(argument);
    case TCFLSH:
        return tty_flush(argument);
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
        return 0;
    default:
        return -ENOTTY;
    }
}
