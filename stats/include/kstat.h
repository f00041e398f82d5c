/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libkstat(3): reading statistics. kstat_open copies the chain of kstats (names, types, classes);
 * kstat_read brings one's data. Thread context; one thread at a time for each kstat_ctl_t.
 *
 * Where these return NULL or -1, kstat_errno says why. It belongs to the calling thread; on a host
 * and in programs it is errno. A program reads /dev/kstat, whose errors kstat_open may have, too.
 */
#ifndef _KSTAT_H_
#define _KSTAT_H_

#include <sys/kstat.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kstat_ctl {
    kid_t kc_chain_id; /* current kstat chain ID */
    kstat_t *kc_chain; /* pointer to kstat chain */
    int kc_kd;         /* a program's descriptor of /dev/kstat; -1: none is needed */
} kstat_ctl_t;

int *kstat_errno_location(void);
#define kstat_errno (*kstat_errno_location())

kstat_ctl_t *kstat_open(void);
int kstat_close(kstat_ctl_t *kc); /* 0; NULL is ignored */

/*
 * Brings the copy up to date: 0 if it was, the new chain id if it changed, -1 for an error. A
 * kstat_t that still exists keeps its address and its data; others are freed; new ones come at the
 * end, with ks_data NULL.
 */
kid_t kstat_chain_update(kstat_ctl_t *kc);

/* The first in the chain that matches; MODULE NULL, INSTANCE -1 and NAME NULL match all. With all
 * three given it takes the same time however many there are. ENOENT. */
kstat_t *kstat_lookup(kstat_ctl_t *kc, const char *module, int instance, const char *name);

/* The record of that name, in a kstat that was read: a kstat_named_t * or kstat_timer_t *. EINVAL:
 * it is of another type; ENOENT. */
void *kstat_data_lookup(kstat_t *ksp, const char *name);

/*
 * Reads into ksp->ks_data, which it allocates, and if BUF is not NULL copies the ks_data_size bytes
 * there. A kstat that is not ready is tried again every 100 ms (EINTR if that sleep is
 * interrupted). The current chain id: if it is not kc_chain_id, an update is due. -1: ENXIO if
 * the kstat was deleted, ENOMEM, or what its owner said.
 */
kid_t kstat_read(kstat_ctl_t *kc, kstat_t *ksp, void *buf);

/* Writes BUF, or where that is NULL ksp->ks_data. As kstat_read; also EACCES, EPERM, EINVAL,
 * EFAULT. */
kid_t kstat_write(kstat_ctl_t *kc, kstat_t *ksp, void *buf);

#ifdef __cplusplus
}
#endif

#endif
