/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes: pipe(7). 65,536 bytes unless told otherwise; writes of up to PIPE_BUF bytes are never
 * mixed with others. A write without readers is -EPIPE (the signal is the caller's to send); a
 * sleep that is interrupted ends with -EINTR if nothing was moved.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIPE_BUF          4096u
#define PIPE_CAPACITY     65536u
#define PIPE_CAPACITY_MAX 1048576u

struct file;

/* FILES[0] is read from, FILES[1] written to; FLAGS: O_NONBLOCK, O_DIRECT is ignored. -ENOMEM. */
int pipe_create(uint32_t flags, struct file *files[2]);
/* Another end, or both, of the pipe that FILE is of, as FLAGS say. */
int pipe_open_again(struct file *file, uint32_t flags, struct file **out);
/* F_GETPIPE_SZ, F_SETPIPE_SZ: bytes; -EBADF (no pipe), -EBUSY (holds more), -EPERM (more than
 * PIPE_CAPACITY_MAX), -ENOMEM. */
long pipe_capacity(struct file *file);
long pipe_set_capacity(struct file *file, size_t bytes);

/* Of a file that pipe_capacity knows. How many bytes may be written without waiting, at least one,
 * which is waited for unless AT_ONCE: -EPIPE, -EAGAIN, -EINTR. */
long pipe_wait_for_room(struct file *file, bool at_once);
/* The bytes behind the first SKIP ones, into the kernel's memory; they stay in the pipe. The first
 * byte of all is waited for; 0 at the end. -EAGAIN, -EINTR. */
long pipe_peek(struct file *file, size_t skip, void *buffer, size_t size, bool at_once);
