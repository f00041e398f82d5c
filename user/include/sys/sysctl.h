/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctl(3): what the system tells by name, for programs. sysctl.8 lists the names. */
#ifndef QUIPU_SYS_SYSCTL_H
#define QUIPU_SYS_SYSCTL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The value of NAME goes to OLDP, *OLDLENP bytes, which becomes its size; with OLDP NULL only that.
 * NEWP, if not NULL, replaces it: root's to do. 0, or -1 and errno: ENOENT (no such name), EISDIR
 * (names lie below it), ENOMEM (OLDP is too small, has been filled, and *OLDLENP says what is
 * needed), EPERM (not root, or it cannot be set), EINVAL, EFAULT.
 */
int sysctlbyname(const char *name, void *oldp, size_t *oldlenp, const void *newp, size_t newlen);

#ifdef __cplusplus
}
#endif

#endif
