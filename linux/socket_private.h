/* SPDX-License-Identifier: BSD-2-Clause */
/* What the system calls of sockets share. */
#pragma once

#include <stdint.h>

struct file;
struct socket;
struct socket_name;

/* The socket of a descriptor, whose file is held in *FILE; NULL: *ERROR is -EBADF or -ENOTSOCK. */
struct socket *socket_enter_call(int descriptor, struct file **file, int *error);
/* A sockaddr of SIZE bytes: 0, -EINVAL, -EFAULT. */
int socket_name_in(const void *user, uint64_t size, struct socket_name *name);
/* Out, cut at what *USER_SIZE says, which becomes its whole length. */
int socket_name_out(const struct socket_name *name, void *user, void *user_size);
