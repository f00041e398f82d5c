/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error numbers, as every interface in the tree returns them: 0 for success, a negative one of
 * these for failure. The values are those that Linux and the BSDs share.
 */
#pragma once

#define EPERM        1
#define ENOENT       2
#define ESRCH        3
#define EINTR        4
#define EIO          5
#define ENXIO        6
#define E2BIG        7
#define ECHILD       10
#define EAGAIN       11
#define ENOMEM       12
#define EACCES       13
#define EFAULT       14
#define EBUSY        16
#define EEXIST       17
#define ENODEV       19
#define EISDIR       21
#define EINVAL       22
#define ENOSPC       28
#define EROFS        30
#define ERANGE       34
#define ENAMETOOLONG 36
#define EOVERFLOW    75
#define EMSGSIZE     90
#define ENOTSUP      95
#define EADDRINUSE   98
#define ENETDOWN     100
#define ENETUNREACH  101
#define ENOBUFS      105
#define EINPROGRESS  115
#define ETIMEDOUT    110
