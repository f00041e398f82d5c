/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls: how each is written, and what they share. One that is called NAME in Linux' manual
 * is `CALL(NAME)` somewhere in linux/, and a line of linux/calls.def. */
#pragma once

#include <arch/copy.h>
#include <arch/frame.h>
#include "lib/errno.h"
#include "linux/program/program.h"

typedef long call_function(struct trap_frame *frame);
struct trap_owner;

#define CALL(name) long call_##name(struct trap_frame *frame)
/* Argument N of the call, and as a pointer, a number of 32 bits. */
#define ARG(n)     trap_frame_argument(frame, (n))
#define ARG_PTR(n) ((void *)(uintptr_t)trap_frame_argument(frame, (n)))
#define ARG_INT(n) ((int)trap_frame_argument(frame, (n)))
#define ARG_U32(n) ((uint32_t)trap_frame_argument(frame, (n)))
/* -errno has been said, in ERROR's place. */
#define CALL_IS_ERROR(result) ((uint64_t)(result) >= (uint64_t)-4095l)

#define CALL_LACKS(name, x86, mips)
#define CALL_LACKS_X86(name, x86)
#define CALL_LACKS_MIPS(name, mips)
#define CALL_HAS(name, x86, mips)   CALL(name);
#define CALL_WHOLE(name, x86, mips) CALL(name);
#define CALL_HAS_X86(name, x86)     CALL(name);
#define CALL_HAS_MIPS(name, mips)   CALL(name);
#include "linux/calls.def"
#undef CALL_LACKS
#undef CALL_LACKS_X86
#undef CALL_LACKS_MIPS
#undef CALL_HAS
#undef CALL_WHOLE
#undef CALL_HAS_X86
#undef CALL_HAS_MIPS

/* struct trap_owner's. */
long call_dispatch(struct trap_frame *frame, const struct trap_owner *owner);
void call_rest(struct trap_frame *frame, long result);

/* Times. */
int call_timespec_in(const void *user, uint64_t *ns); /* -EINVAL: not a time */
int call_timespec_out(void *user, uint64_t ns);
int call_timeval_out(void *user, uint64_t ns);
static inline struct abi_timespec call_timespec(uint64_t ns)
{
    return (struct abi_timespec){(int64_t)(ns / 1000000000u), (int64_t)(ns % 1000000000u)};
}
static inline struct abi_timeval call_timeval(uint64_t ns)
{
    return (struct abi_timeval){(int64_t)(ns / 1000000000u), (int64_t)(ns % 1000000000u / 1000)};
}

/* The file of a descriptor of the running program, with a reference, or NULL: -EBADF. */
struct file;
struct file *call_file(int descriptor);
/* Gives FILE back. RESULT of a transfer or a change of size: a write to nobody, or beyond the
 * limit, is a signal too. */
long file_io_result(struct file *file, long result);
/* FILE, whose reference it takes over, under the lowest free number from LOWEST on: the number;
 * -EMFILE, -ENOMEM, -EINVAL. */
long call_file_add(struct file *file, int lowest, bool close_on_exec);
/* A path out of the program, PATH_LENGTH bytes of kmem: 0 or an errno. */
int call_path_in(const void *user, char **path);
/* How PATH begins at DESCRIPTOR (or AT_FDCWD), for which an absolute one does not ask;
 * call_walk_end afterwards. 0, -EBADF, -ENOTDIR. */
int call_walk_begin(struct path_walk *walk, int descriptor, const char *path);
void call_walk_end(struct path_walk *walk);
/* An errno of fs/, where -EINTR means that the call may be made again. */
static inline long call_restartable(long result)
{
    return result == -EINTR ? -RESTART_CALL : result;
}
/* fcntl's locks of ranges; OF_FILE: the open file's, else the process's. USER: struct flock. */
enum call_lock { CALL_LOCK_TEST, CALL_LOCK_TRY, CALL_LOCK_WAIT };
long call_lock(struct file *file, enum call_lock what, bool of_file, void *user);
uint32_t call_open_flags(uint32_t abi); /* a program's flags as fs/ has them */
uint32_t call_open_flags_out(uint32_t flags);
