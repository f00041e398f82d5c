/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console as a terminal: lines are edited by whoever reads, ^C is for the foreground group at
 * once. The console itself turns newlines into two characters. Not there: polling (always ready),
 * flow control, turning output processing off.
 */
#include "linux/tty.h"
#include "fs/dev.h"
#include "fs/path.h"
#include "fs/file.h"
#include "kernel/console/console.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program_private.h"
#include "linux/tty_private.h"

#define ICRNL      0x100u
#define INLCR      0x40u
#define IGNCR      0x80u
#define IXON       0x400u
#define OPOST      1u
#define ONLCR      4u
#define ISIG       1u
#define ICANON     2u
#define ECHO       8u
#define ECHOE      0x10u
#define ECHOK      0x20u
#define ECHONL     0x40u
#define ECHOCTL    0x200u
#define ECHOKE     0x800u
#define CONTROLS   0xcbfu             /* B38400 | CS8 | CREAD | HUPCL */
#define FOREVER    (WAIT_FOREVER - 1) /* but signals end it */
#define NONE       0u
#define CONTROL(c) ((c) & 0x1f)

struct tty tty;

static void tty_interrupt(struct console_owner *owner)
{
    (void)owner;
    spinlock_lock(&program_lock);
    if (tty.group)
        signal_send_group(tty.group, SIGINT, NULL);
    if (tty.told)
        tty.told->interrupt(tty.told);
    spinlock_unlock(&program_lock);
}

void tty_own(void)
{
    console_set_owner(tty.session && tty.termios.lflag & ISIG &&
                              tty.termios.cc[VINTR] == CONTROL('C')
                          ? &tty.owner
                          : NULL);
}

static void tty_prepare(void)
{
    if (tty.ready)
        return;
    mutex_init(&tty.lock, "tty");
    tty.owner.interrupt = tty_interrupt;
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
    tty.termios.cc[VMIN] = 1;
    tty.size = (struct abi_winsize){24, 80, 0, 0};
    tty.ready = true;
}

void tty_console_take(uint32_t session, uint32_t group)
{
    uintptr_t state;

    tty_prepare();
    state = spinlock_acquire(&program_lock);
    tty.session = session;
    tty.group = group;
    spinlock_release(&program_lock, state);
    if (!tty.taken_over)
        tty.before = console_set_owner(NULL);
    tty.taken_over = true;
    tty_own();
}

void tty_console_give_back(void)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    tty.session = tty.group = NONE;
    tty.used = tty.taken = 0;
    tty.finished = tty.ended = false;
    spinlock_release(&program_lock, state);
    console_set_owner(tty.taken_over ? tty.before : NULL);
    tty.taken_over = false;
}

void tty_tell(struct console_owner *told)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    tty.told = told;
    spinlock_release(&program_lock, state);
}

/* Who is not in the foreground is stopped: 0, -EIO, -RESTART_CALL. */
static int tty_foreground(int signal)
{
    struct task *task = task_current_or_null();
    struct program *program = task ? task->program : NULL;
    uintptr_t state;
    int result = 0;

    if (!program)
        return 0;
    state = spinlock_acquire(&program_lock);
    if (program->group->session == tty.session && tty.group && program->group->id != tty.group) {
        result = -EIO;
        if (program->actions->of[signal].handler != SIG_IGN && !signal_in(&task->blocked, signal)) {
            signal_send_group(program->group->id, signal, NULL);
            result = -RESTART_CALL;
        }
    }
    spinlock_release(&program_lock, state);
    return result;
}

static void tty_echo(const char *text, size_t length)
{
    if (tty.termios.lflag & ECHO)
        console_write(text, length);
}

static void tty_echo_char(char c)
{
    char text[2] = {'^', (char)(c ^ 0x40)};

    if ((unsigned char)c < ' ' && c != '\n' && c != '\t' && tty.termios.lflag & ECHOCTL)
        tty_echo(text, 2);
    else
        tty_echo(&c, 1);
}

static void tty_erase(void)
{
    bool wide = (unsigned char)tty.line[tty.used - 1] < ' ' && tty.line[tty.used - 1] != '\t';

    tty.used--;
    tty_echo("\b \b\b \b", wide ? 6 : 3);
}

/* Whether C was a signal's. */
static bool tty_signal(char c)
{
    const uint8_t *cc = tty.termios.cc;
    int signal = (uint8_t)c == cc[VINTR]   ? SIGINT
                 : (uint8_t)c == cc[VQUIT] ? SIGQUIT
                 : (uint8_t)c == cc[VSUSP] ? SIGTSTP
                                           : 0;
    uintptr_t state;

    if (!(tty.termios.lflag & ISIG) || signal == 0 || c == '\0')
        return false;
    tty_echo_char(c);
    tty.used = 0;
    state = spinlock_acquire(&program_lock);
    signal_send_group(tty.group, signal, NULL);
    if (tty.told && signal != SIGTSTP)
        tty.told->interrupt(tty.told);
    spinlock_release(&program_lock, state);
    return true;
}

static char tty_map(char c)
{
    uint32_t flags = tty.termios.iflag;

    if (c == '\r' && flags & ICRNL)
        return '\n';
    return c == '\n' && flags & INLCR ? '\r' : c;
}

/* C has come, in canonical mode. */
static void tty_edit(char c)
{
    const uint8_t *cc = tty.termios.cc;

    if ((uint8_t)c == cc[VERASE] || c == '\b') {
        if (tty.used > 0)
            tty_erase();
    } else if ((uint8_t)c == cc[VKILL]) {
        while (tty.used > 0)
            tty_erase();
    } else if ((uint8_t)c == cc[VWERASE]) {
        while (tty.used > 0 && tty.line[tty.used - 1] == ' ')
            tty_erase();
        while (tty.used > 0 && tty.line[tty.used - 1] != ' ')
            tty_erase();
    } else if ((uint8_t)c == cc[VEOF]) {
        tty.finished = tty.ended = true;
    } else if (tty.used < LINE - 1 || c == '\n') {
        tty.line[tty.used++] = c;
        if (c == '\n' || (tty.termios.lflag & (ECHO | ECHONL)) == ECHO)
            tty_echo_char(c);
        tty.finished = c == '\n' || (c != '\0' && (uint8_t)c == cc[VEOL]);
    }
}

/* Until there is a line: 0, -EINTR. */
static int tty_fill_line(void)
{
    char c;

    while (!tty.finished) {
        if (console_read_until(&c, 1, FOREVER) == 0)
            return -EINTR;
        c = tty_map(c);
        if (!tty_signal(c))
            tty_edit(c);
    }
    return 0;
}

static long tty_read_line(struct uio *uio)
{
    int error = tty_fill_line();
    long moved;

    if (error != 0)
        return error;
    moved = (long)uio_put(uio, tty.line + tty.taken, tty.used - tty.taken);
    tty.taken += (size_t)moved;
    if (tty.taken == tty.used) {
        tty.used = tty.taken = 0;
        tty.finished = tty.ended = false;
    }
    return moved;
}

/* Non-canonical: VMIN and VTIME (termios(3)). */
static long tty_read_raw(struct uio *uio)
{
    uint8_t least = tty.termios.cc[VMIN], tenths = tty.termios.cc[VTIME];
    uint64_t wait = (uint64_t)tenths * 100000000u;
    long moved = 0;
    char c;

    while (uio->left > 0) {
        bool timed = tenths > 0 && (least == 0 || moved > 0);
        uint64_t deadline = moved >= least && !timed ? 0
                            : timed                  ? clock_after(clock_now(), wait)
                                                     : FOREVER;

        if (moved > 0 && moved >= least)
            deadline = 0;
        if (console_read_until(&c, 1, deadline) == 0)
            return moved > 0 || deadline != FOREVER ? moved : -EINTR;
        c = tty_map(c);
        if (tty_signal(c))
            continue;
        tty_echo_char(c);
        if (uio_put(uio, &c, 1) == 0)
            return moved > 0 ? moved : -EFAULT;
        moved++;
    }
    return moved;
}

static long tty_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    long result = tty_foreground(SIGTTIN);

    (void)file;
    (void)offset;
    if (result != 0)
        return result;
    mutex_enter(&tty.lock);
    result = tty.termios.lflag & ICANON ? tty_read_line(uio) : tty_read_raw(uio);
    mutex_exit(&tty.lock);
    return result;
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

static const struct file_ops tty_ops = {.read = tty_read, .write = tty_write, .ioctl = tty_control};
static struct device tty_devices[] = {
    {.name = "tty", .type = S_IFCHR, .major = 5, .minor = 0, .mode = 0666, .ops = &tty_ops},
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
