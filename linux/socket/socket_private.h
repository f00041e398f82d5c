/* SPDX-License-Identifier: BSD-2-Clause */
/* What the system calls of sockets share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct abi_message;
struct file;
struct socket;
struct socket_message;
struct socket_name;
struct socket_taken;

/* The socket of a descriptor, whose file is held in *FILE; NULL: *ERROR is -EBADF or -ENOTSOCK. */
struct socket *socket_enter_call(int descriptor, struct file **file, int *error);
/* A sockaddr of SIZE bytes: 0, -EINVAL, -EFAULT. */
int socket_name_in(const void *user, uint64_t size, struct socket_name *name);
/* Out, cut at what *USER_SIZE says, which becomes its whole length. */
int socket_name_out(const struct socket_name *name, void *user, void *user_size);

/* socket_control.c. What goes with the message IN: an empty one that has it, or NULL if nothing
 * does. -EINVAL, -EBADF, -EPERM, -ESRCH, -ENOBUFS, -EFAULT, -ENOMEM. */
int socket_control_in(const struct abi_message *in, struct socket_message **out);
/* Where a receiver's control messages go. */
struct control_out {
    uint64_t at, left;
    uint32_t flags; /* MSG_*: what is to be told */
};
/* One more, cut where there is no room for all. */
void socket_control_put(struct control_out *out, int type, const void *data, size_t size);
/* TAKEN's files: as many as there is room for become descriptors. */
void socket_control_put_files(struct control_out *out, struct socket_taken *taken, bool on_exec);
