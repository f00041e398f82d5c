/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All kstats: a chain in increasing order of KIDs, and two hash tables, by KID and by name. Private
 * to stats/. Everything needs the chain's mutex (stats_port_chain_mutex) but what says otherwise.
 */
#ifndef STATS_KSTAT_REGISTRY_H
#define STATS_KSTAT_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/kstat.h>
#include "lib/hash_table.h"

/* A kstat and what the framework knows of it. */
struct ekstat {
    kstat_t ks; /* first: a kstat_t * of a caller's is a pointer to this */
    struct ekstat *previous;
    struct hash_link kid_link, name_link;
    bool held;  /* somebody is in its functions, or takes it apart */
    void *data; /* what was allocated for ks_data */
    size_t data_size;
};

/* The first kstat; the others through ks_next. */
kstat_t *kstat_registry_first(void);
struct ekstat *kstat_registry_find(kid_t kid);
struct ekstat *kstat_registry_find_name(const char *module, int instance, const char *name);
/* Gives E, whose name is complete, the next KID that is free, and changes the chain id. */
void kstat_registry_insert(struct ekstat *e);
/* Takes it out and changes the chain id. */
void kstat_registry_remove(struct ekstat *e);

/* Without the mutex. */
kid_t kstat_registry_chain_id(void);

/*
 * Without the mutex: waits until nobody else holds the kstat, and holds it: nobody deletes it. NULL
 * if there is none of that KID. Released by kstat_registry_release.
 */
struct ekstat *kstat_registry_hold(kid_t kid);
void kstat_registry_release(struct ekstat *e);
/* The same with the mutex. The kstat may be gone after waiting: E is found again by its KID. */
struct ekstat *kstat_registry_hold_locked(kid_t kid);
void kstat_registry_release_locked(struct ekstat *e);

void kstat_registry_free(struct ekstat *e);

/* For the host, where nobody else uses it: nothing exists any more. */
void kstat_registry_reset(void);
/* In kstat.c: the next call begins with kstat_init. */
void kstat_forget(void);

/* The functions of a kstat that has none of its own, in kstat_snapshot.c. */
int kstat_default_update(kstat_t *ksp, int rw);
int kstat_default_snapshot(kstat_t *ksp, void *buffer, int rw);
/* ks_data_size of a kstat with strings, as they are now. */
void kstat_measure_strings(kstat_t *ksp);

/* The kstat's own lock, where it has one. */
void kstat_enter(kstat_t *ksp);
void kstat_exit(kstat_t *ksp);

#endif
