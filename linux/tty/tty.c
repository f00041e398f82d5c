/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console as a terminal: what comes from it is tty_line.c's, ^C is for the foreground group at
 * once. The console itself turns newlines into two characters. Not there: flow control, turning
 * output processing off.
 */
#include "linux/tty/tty.h"
#include "fs/dev/dev.h"
#include "fs/file/path.h"
#include "fs/file/file.h"
#include "kernel/console/console.h"
#include "kernel/time/clock.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/tty/tty_private.h"

#define CONTROLS   0xcbfu /* B38400 | CS8 | CREAD | HUPCL */
#define NONE       0u
#define CONTROL(c) ((c) & 0x1f)

SHARED_BSS struct tty tty;

/* The signal that C stands for; 0: none. */
static int tty_signal_of(char c)
{
    const uint8_t *cc = tty.termios.cc;

    if (c == '\0' || !(tty.termios.lflag & ISIG))
        return 0;
    return (uint8_t)c == cc[VINTR]   ? SIGINT
           : (uint8_t)c == cc[VQUIT] ? SIGQUIT
           : (uint8_t)c == cc[VSUSP] ? SIGTSTP
                                     : 0;
}

bool tty_signal(char c)
{
    int signal = tty_signal_of(c);
    uintptr_t state;

    if (signal == 0)
        return false;
    state = spinlock_acquire(&program_lock);
    if (tty.group)
        signal_send_group(tty.group, signal, NULL);
    tty.interrupted = tty.interrupted || signal == SIGINT;
    if (tty.told && signal != SIGTSTP)
        tty.told->takes(tty.told, c);
    spinlock_release(&program_lock, state);
    tty.dropped = true;
    return true;
}

bool tty_says_literal(char c)
{
    const uint32_t needs = ICANON | IEXTEN;

    return (uint8_t)c == tty.termios.cc[VLNEXT] && c != '\0' &&
           (tty.termios.lflag & needs) == needs;
}

/* At once, whether somebody reads or not. */
static bool tty_takes(struct console_owner *owner, char byte)
{
    bool spared = tty.spared;

    (void)owner;
    tty.spared = !spared && tty_says_literal(byte);
    return !spared && tty_signal(byte);
}

void tty_own(void)
{
    tty.spared = false;
    console_set_owner(tty.session && tty.termios.lflag & ISIG ? &tty.owner : NULL);
}

static void tty_input_came(void)
{
    poll_source_wake(&tty.source, POLL_READ);
}

static void tty_prepare(void)
{
    if (tty.ready)
        return;
    mutex_init(&tty.lock, "tty");
    poll_source_init(&tty.source);
    console_set_listener(tty_input_came);
    tty.owner.takes = tty_takes;
    tty.termios = (struct abi_termios){
        .iflag = ICRNL | IXON,
        .oflag = OPOST | ONLCR,
        .cflag = CONTROLS,
        .lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
    };
    tty.termios.cc[VINTR] = CONTROL('C');
    tty.termios.cc[VQUIT] = CONTROL('\\');
    tty.termios.cc[VERASE] = 127;
    tty.termios.cc[VKILL] = CONTROL('U');
    tty.termios.cc[VEOF] = CONTROL('D');
    tty.termios.cc[VSUSP] = CONTROL('Z');
    tty.termios.cc[VWERASE] = CONTROL('W');
    tty.termios.cc[VLNEXT] = CONTROL('V');
    tty.termios.cc[VMIN] = 1;
    tty.ready = true;
}

void tty_console_take(uint32_t session, uint32_t group)
{
    uintptr_t state;

    tty_prepare();
    state = spinlock_acquire(&program_lock);
    tty.session = session;
    tty.group = group;
    tty.interrupted = false;
    spinlock_release(&program_lock, state);
    if (!tty.taken_over)
        tty.before = console_set_owner(NULL);
    tty.taken_over = true;
    tty_own();
}

uint32_t tty_foreground_of(uint32_t session)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    uint32_t group = session != NONE && tty.session == session ? tty.group : NONE;

    spinlock_release(&program_lock, state);
    return group;
}

bool tty_console_give_back(void)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    bool interrupted = tty.taken_over && tty.interrupted;

    tty.session = tty.group = NONE;
    tty_forget_line();
    spinlock_release(&program_lock, state);
    console_set_owner(tty.taken_over ? tty.before : NULL);
    tty.taken_over = false;
    return interrupted;
}

void tty_tell(struct console_owner *told)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    tty.told = told;
    spinlock_release(&program_lock, state);
}

/* Whether it is PROGRAM's controlling terminal. program_lock is held. */
static bool tty_is_of(const struct program *program)
{
    return tty.session != NONE && program->group->session == tty.session && !program->left_tty;
}

int tty_foreground(int signal)
{
    struct task *task = task_current_or_null();
    struct program *program = task ? task->program : NULL;
    uintptr_t state;
    int result = 0;

    if (!program)
        return 0;
    state = spinlock_acquire(&program_lock);
    if (tty_is_of(program) && tty.group && program->group->id != tty.group) {
        bool deaf =
            program->actions->of[signal].handler == SIG_IGN || signal_in(&task->blocked, signal);

        if (deaf && signal == SIGTTOU) {
            result = 0;
        } else if (deaf || signal_group_is_orphaned(program)) {
            result = -EIO;
        } else {
            signal_send_group(program->group->id, signal, NULL);
            result = -RESTART_CALL;
        }
    }
    spinlock_release(&program_lock, state);
    return result;
}

bool tty_is_ours(void)
{
    const struct task *task = task_current_or_null();
    uintptr_t state = spinlock_acquire(&program_lock);
    bool ours = !task || tty_is_of(task->program);

    spinlock_release(&program_lock, state);
    return ours;
}

static long tty_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    long result = tty_foreground(SIGTTIN);
    bool waits = !(file_flags(file) & O_NONBLOCK);

    (void)offset;
    if (result != 0)
        return result;
    if (waits)
        mutex_enter(&tty.lock);
    else if (!mutex_tryenter(&tty.lock))
        return -EAGAIN;
    result = tty.termios.lflag & ICANON ? tty_read_line(uio, waits) : tty_read_raw(uio, waits);
    if (tty.used > tty.taken)
        poll_source_wake(&tty.source, POLL_READ);
    mutex_exit(&tty.lock);
    return result;
}

/* While the shell has the console, nothing is here. */
static uint32_t tty_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    uint32_t ready = POLL_WRITE;

    (void)file;
    poll_source_watch(&tty.source, entry);
    if (events & POLL_READ && tty.taken_over && mutex_tryenter(&tty.lock)) {
        if (tty_has_input())
            ready |= POLL_READ;
        mutex_exit(&tty.lock);
    }
    return ready & events;
}

long tty_write_plain(struct file *file, struct uio *uio, uint64_t *offset)
{
    char buffer[256];
    long moved = 0;
    size_t got;

    (void)file;
    (void)offset;
    while (uio->left > 0 && (got = uio_get(uio, buffer, sizeof buffer)) > 0) {
        console_write(buffer, got);
        moved += (long)got;
        if (uio->left > 0 && thread_interrupted())
            break;
    }
    return moved == 0 && uio->left > 0 ? -EFAULT : moved;
}

static long tty_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    int error = tty.termios.lflag & TOSTOP ? tty_foreground(SIGTTOU) : 0;

    return error != 0 ? error : tty_write_plain(file, uio, offset);
}

static const struct file_ops tty_ops = {
    .read = tty_read, .write = tty_write, .poll = tty_poll, .ioctl = tty_control};

/* /dev/tty is whatever terminal the session has. */
static int tty_open(struct file *file)
{
    (void)file;
    return tty_is_ours() ? 0 : -ENXIO;
}

static SHARED_DATA struct device tty_devices[] = {
    {.name = "tty",
     .type = S_IFCHR,
     .major = 5,
     .minor = 0,
     .mode = 0666,
     .ops = &tty_ops,
     .open = tty_open},
    {.name = "console", .type = S_IFCHR, .major = 5, .minor = 1, .mode = 0600, .ops = &tty_ops},
};

void tty_register(void)
{
    static bool done;

    tty_prepare();
    if (done)
        return;
    done = true;
    for (unsigned i = 0; i < sizeof tty_devices / sizeof *tty_devices; i++)
        (void)dev_register(&tty_devices[i]);
}

struct file *tty_console_open(uint32_t flags)
{
    struct path_walk walk = {.who = credentials_root};
    struct file *file = NULL;

    walk.base = path_base_create();
    if (walk.base && fs_open(&walk, "/dev/console", flags | O_NOCTTY, 0, &file) != 0)
        file = NULL;
    if (walk.base)
        path_base_release(walk.base);
    return file;
}
