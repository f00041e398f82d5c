/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers to and from a program's memory that ends in between; FIFOs; processes in /proc. */
#include "fs/pipe/pipe.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/process_actor.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_program.h"

#define END (USER_DATA + USER_SIZE)

USER_PROGRAM(fs_nothing, "nop\n");

static long user_move(struct file *file, bool write, uintptr_t address, size_t size)
{
    struct io_vector vector;
    struct uio uio;

    uio_single(&uio, &vector, (void *)address, size, true);
    return write ? file_pwrite(file, &uio, 0) : file_pread(file, &uio, 0);
}

/* The program's last 100 bytes, and what is behind them. */
static int check_user(struct file *file, struct file *const ends[2])
{
    struct io_vector vector[2] = {{(void *)(END - 100), 100}, {(void *)END, 50}};
    struct file_stat stat;
    struct uio uio;

    SELFTEST_EQUAL(-user_move(file, true, END, 10), EFAULT);
    SELFTEST_EQUAL(-file_stat(file, &stat), 0);
    SELFTEST_EQUAL(stat.size + stat.blocks, 0); /* no page was made for nothing */
    memset((char *)user_program_data() + USER_SIZE - 100, 'u', 100);
    SELFTEST_EQUAL(user_move(file, true, END - 100, 300), 100);
    SELFTEST_EQUAL(user_move(file, false, END - 30, 100), 30);
    SELFTEST_EQUAL(-user_move(file, false, END, 100), EFAULT);
    SELFTEST_EQUAL(-uio_init(&uio, vector, 2, true), 0);
    SELFTEST_EQUAL(-file_write(ends[1], &uio), EFAULT); /* the second piece is not there */
    SELFTEST_EQUAL(-uio_init(&uio, vector, 1, true), 0);
    SELFTEST_EQUAL(file_write(ends[1], &uio), 100);
    SELFTEST_EQUAL(-uio_init(&uio, vector + 1, 1, true), 0);
    SELFTEST_EQUAL(-file_write(ends[1], &uio), EFAULT);
    SELFTEST_EQUAL(-file_read(ends[0], &uio), EFAULT);
    SELFTEST_EQUAL(-uio_init(&uio, vector, 1, true), 0);
    SELFTEST_EQUAL(file_read(ends[0], &uio), 100);
    return 0;
}

SELFTEST(fs_user, "fs-user", "transfers stop where a program's memory does, of a pipe to the page")
{
    struct fs_walk t;
    struct file *file, *ends[2];
    int result;

    if (fs_walk_begin(&t) != 0)
        return 1;
    file = fs_walk_open(&t, "f", O_RDWR | O_CREAT);
    SELFTEST_CHECK(file != NULL);
    SELFTEST_EQUAL(-pipe_create(0, ends), 0);
    SELFTEST_CHECK(user_program_load(&fs_nothing, true) == 0);
    result = check_user(file, ends);
    user_program_unload();
    if (result != 0)
        return 1;
    file_release(ends[0]);
    file_release(ends[1]);
    file_release(file);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0);
    return fs_walk_end(&t);
}

static struct fs_walk fifo_walk;
static int fifo_error;

static void write_fifo(void *unused)
{
    struct file *file;

    (void)unused;
    thread_sleep(2000000);
    file = fs_walk_open(&fifo_walk, "fifo", O_WRONLY);
    fifo_error = file == NULL || fs_walk_write(file, "through", 7) != 7;
    file_release(file);
}

static void fs_user_interrupt_late(void *thread)
{
    thread_sleep(2000000);
    thread_interrupt(thread);
}

SELFTEST(fs_fifo, "fs-fifo", "a FIFO's ends wait for each other; an interruption ends the wait")
{
    struct thread *other;
    struct file *file;
    char bytes[8];

    if (fs_walk_begin(&fifo_walk) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_mknod(&fifo_walk.walk, "fifo", S_IFIFO | 0600, 0), 0);
    SELFTEST_EQUAL(fs_walk_error(&fifo_walk, "fifo", O_WRONLY | O_NONBLOCK), ENXIO);
    SELFTEST_CHECK(thread_create("writer", THREAD_PRIORITY_NORMAL, write_fifo, NULL, &other) == 0);
    file = fs_walk_open(&fifo_walk, "fifo", O_RDONLY);
    SELFTEST_CHECK(file != NULL);
    SELFTEST_EQUAL(fs_walk_read(file, bytes, 8), 7);
    SELFTEST_EQUAL(fs_walk_read(file, bytes, 8), 0);
    thread_join(other);
    SELFTEST_EQUAL(fifo_error, 0);
    file_release(file);
    SELFTEST_CHECK(thread_create("late", THREAD_PRIORITY_NORMAL, fs_user_interrupt_late,
                                 thread_current(), &other) == 0);
    SELFTEST_EQUAL(fs_walk_error(&fifo_walk, "fifo", O_RDONLY), EINTR);
    thread_join(other);
    SELFTEST_CHECK(thread_interruption_take());
    SELFTEST_EQUAL(-fs_unlink(&fifo_walk.walk, "fifo"), 0);
    return fs_walk_end(&fifo_walk);
}

static volatile bool fs_user_opened;

/* Whoever reads has gone, unless a tick let this run before. */
static void fs_user_open_to_write(void *unused)
{
    struct file *file = fs_walk_open(&fifo_walk, "fifo", O_WRONLY);
    long written = file != NULL ? fs_walk_write(file, "nobody", 6) : 0;

    (void)unused;
    fs_user_opened = true;
    fifo_error = written != -EPIPE && written != 6;
    if (file != NULL)
        file_release(file);
}

SELFTEST_ONE_CPU(fs_fifo_passing, "fs-fifo-passing",
                 "who waits for a FIFO's reader is not held up by one that has gone again")
{
    struct thread *other;
    struct file *file;

    if (fs_walk_begin(&fifo_walk) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_mknod(&fifo_walk.walk, "fifo", S_IFIFO | 0600, 0), 0);
    fs_user_opened = false;
    SELFTEST_CHECK(
        thread_create("writer", THREAD_PRIORITY_NORMAL, fs_user_open_to_write, NULL, &other) == 0);
    thread_sleep(20000000);
    SELFTEST_CHECK(!fs_user_opened);
    file = fs_walk_open(&fifo_walk, "fifo", O_RDONLY); /* the writer is there: no wait */
    SELFTEST_CHECK(file != NULL);
    file_release(file); /* before the writer has run */
    for (unsigned i = 0; i < 100 && !fs_user_opened; i++)
        thread_sleep(20000000);
    SELFTEST_CHECK(fs_user_opened);
    thread_join(other);
    SELFTEST_EQUAL(fifo_error, 0);
    SELFTEST_EQUAL(-fs_unlink(&fifo_walk.walk, "fifo"), 0);
    return fs_walk_end(&fifo_walk);
}

static uint32_t wanted;

static bool find_number(void *argument, const char *name, size_t length, uint64_t number,
                        uint32_t type, uint64_t cookie)
{
    char text[12];

    (void)number;
    (void)type;
    (void)cookie;
    *(unsigned *)argument +=
        length == format(text, sizeof text, "%u", wanted) && memcmp(name, text, length) == 0;
    return true;
}

static int check_process(struct fs_walk *t, struct actor *actor)
{
    struct file *root = fs_walk_open(t, "/proc", O_RDONLY), *own;
    char path[32];
    unsigned found = 0;

    wanted = actor->id;
    format(path, sizeof path, "/proc/%u", actor->id);
    own = fs_walk_open(t, path, O_RDONLY | O_DIRECTORY);
    SELFTEST_CHECK(root != NULL && own != NULL);
    SELFTEST_EQUAL(-file_readdir(root, find_number, &found), 0);
    SELFTEST_EQUAL(found, 1);
    SELFTEST_EQUAL(-file_readdir(root, find_number, &found), 0); /* nothing is left */
    SELFTEST_EQUAL(found, 1);
    actor_ask(actor, actor_exits, 0);
    SELFTEST_EQUAL(process_wait(actor->id, 0, NULL), actor->id);
    SELFTEST_EQUAL(fs_walk_error(t, path, O_RDONLY), ENOENT);
    file_release(own);
    file_release(root);
    return 0;
}

SELFTEST(fs_proc_process, "fs-proc-process", "/proc/PID is there as long as the process")
{
    static struct actor actor;
    struct fs_walk t;
    int result;

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-actor_start(&actor), 0);
    result = check_process(&t, &actor);
    actor_forget(&actor);
    return result != 0 ? 1 : fs_walk_end(&t);
}
