/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal's ioctls: ioctl_tty(2). */
#include "kernel/console/console_size.h"
#include "linux/program/program_private.h"
#include "linux/tty/tty.h"
#include "linux/tty/tty_private.h"

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
    else if (!group)
        result = id > 0 && program_find((uint32_t)id) ? -EPERM : -ESRCH;
    else if (group->session != tty.session)
        result = -EPERM;
    else
        tty.group = (uint32_t)id;
    spinlock_release(&program_lock, state);
    return result;
}

static long tty_get_size(uintptr_t argument)
{
    struct console_size size = console_size_get();
    struct abi_winsize window = {size.rows, size.columns, tty.xpixel, tty.ypixel};

    return copyout(&window, (void *)argument, sizeof window);
}

/* The foreground hears of another size. */
static long tty_set_size(uintptr_t argument)
{
    struct abi_winsize window;
    uintptr_t state;
    bool changed;

    if (copyin((const void *)argument, &window, sizeof window) != 0)
        return -EFAULT;
    state = spinlock_acquire(&program_lock);
    changed = window.xpixel != tty.xpixel || window.ypixel != tty.ypixel;
    tty.xpixel = window.xpixel;
    tty.ypixel = window.ypixel;
    changed |= console_size_set((struct console_size){window.rows, window.columns});
    if (changed && tty.group)
        signal_send_group(tty.group, SIGWINCH, NULL);
    spinlock_release(&program_lock, state);
    return 0;
}

/* From another session only root takes it, and says so (STEAL is 1). */
static long tty_take_session(uintptr_t steal)
{
    const struct program *program = task_current()->program;

    if (program->group->session != program->id)
        return -EPERM;
    if (tty.session == program->id)
        return 0;
    if (tty.session && (steal != 1 || program->euid != 0))
        return -EPERM;
    tty_console_take(program->id, program->group->id);
    return 0;
}

/* Its leader gives it back for the whole session, others for themselves. */
static long tty_leave(void)
{
    struct program *program = task_current()->program;
    uintptr_t state = spinlock_acquire(&program_lock);

    if (program->group->session != program->id) {
        program->left_tty = true;
        spinlock_release(&program_lock, state);
        return 0;
    }
    if (tty.group) {
        signal_send_group(tty.group, SIGHUP, NULL);
        signal_send_group(tty.group, SIGCONT, NULL);
    }
    tty.session = tty.group = 0;
    spinlock_release(&program_lock, state);
    tty_own();
    return 0;
}

/* What is not for who is in the background, or has another terminal, or none: 0 or an errno. */
static int tty_control_permit(uint32_t command)
{
    int error;

    switch (command) {
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
    case TCFLSH:
    case TCSBRK:
    case TCXONC:
        return tty_foreground(SIGTTOU);
    case TIOCSPGRP: /* with an error of its own for who cannot be stopped */
        error = tty_is_ours() ? tty_foreground(SIGTTOU) : -ENOTTY;
        return error == -EIO ? -ENOTTY : error;
    case TIOCGPGRP:
    case TIOCGSID:
    case TIOCNOTTY:
        return tty_is_ours() ? 0 : -ENOTTY;
    default:
        return 0;
    }
}

long tty_control(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    int error = tty_control_permit(command);

    (void)file;
    (void)user;
    if (error != 0)
        return error;
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
        return tty_get_size(argument);
    case TIOCSWINSZ:
        return tty_set_size(argument);
    case TIOCGPGRP:
        return copyout(&tty.group, (void *)argument, sizeof tty.group);
    case TIOCSPGRP:
        return tty_set_group(argument);
    case TIOCGSID:
        return copyout(&tty.session, (void *)argument, sizeof tty.session);
    case TIOCSCTTY:
        return tty_take_session(argument);
    case TIOCNOTTY:
        return tty_leave();
    case TCSBRK:
    case TCXONC:
        return 0;
    default:
        return -ENOTTY;
    }
}
