/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader's copy of the chain: see libkstat_chain.h. */
#include "stats/read/libkstat_chain.h"

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"

static uint32_t libkstat_chain_hash_of(const char *module, int instance, const char *name)
{
    uint64_t hash = hash_text((uint32_t)instance, module);

    return hash_end(hash_text(hash, name));
}

static struct kstat_node *libkstat_chain_next_of(const struct kstat_node *node)
{
    return (struct kstat_node *)node->ks.ks_next;
}

static struct kstat_node *libkstat_chain_first_of(const struct kstat_control *control)
{
    return (struct kstat_node *)control->ctl.kc_chain;
}

kstat_t *kstat_control_find(const struct kstat_control *control, const char *module, int instance,
                            const char *name)
{
    if (control->names.buckets == NULL)
        return NULL;
    for (struct hash_link *link =
             hash_table_first(&control->names, libkstat_chain_hash_of(module, instance, name));
         link != NULL; link = hash_table_next(link)) {
        struct kstat_node *node = HASH_ENTRY(link, struct kstat_node, name_link);

        if (node->ks.ks_instance == instance && strcmp(node->ks.ks_module, module) == 0 &&
            strcmp(node->ks.ks_name, name) == 0)
            return &node->ks;
    }
    return NULL;
}

static void libkstat_chain_free_node(struct kstat_node *node)
{
    if (node->ks.ks_data != NULL)
        stats_port_free(node->ks.ks_data, node->ks.ks_data_size);
    stats_port_free(node, sizeof *node);
}

static void libkstat_chain_free_chain(struct kstat_node *node)
{
    while (node != NULL) {
        struct kstat_node *next = libkstat_chain_next_of(node);

        libkstat_chain_free_node(node);
        node = next;
    }
}

static void libkstat_chain_free_names(struct kstat_control *control)
{
    if (control->names.buckets != NULL)
        stats_port_free(control->names.buckets,
                        ((size_t)control->names.mask + 1) * sizeof(struct hash_link *));
    control->names = (struct hash_table){.buckets = NULL};
}

/* A table that is large enough for COUNT. */
static int libkstat_chain_make_names(struct kstat_control *control, uint_t count)
{
    struct hash_link **buckets;
    uint_t wanted = 64;

    while (wanted < count)
        wanted *= 2;
    if (control->names.buckets != NULL && wanted <= control->names.mask + 1)
        return 0;
    buckets = stats_port_alloc(wanted * sizeof *buckets);
    if (buckets == NULL)
        return -ENOMEM;
    libkstat_chain_free_names(control);
    hash_table_init(&control->names, buckets, wanted);
    return 0;
}

static void libkstat_chain_fill_names(struct kstat_control *control)
{
    hash_table_init(&control->names, control->names.buckets, control->names.mask + 1);
    for (struct kstat_node *node = libkstat_chain_first_of(control); node != NULL;
         node = libkstat_chain_next_of(node))
        hash_table_insert(
            &control->names, &node->name_link,
            libkstat_chain_hash_of(node->ks.ks_module, node->ks.ks_instance, node->ks.ks_name));
}

/*
 * The place of KID in HEADERS, or COUNT. *AT is where the last search ended: searches in
 * increasing order, which is the rule, take one pass together.
 */
static uint_t libkstat_chain_place_of(const kstat_t *headers, uint_t count, kid_t kid, uint_t *at)
{
    if (*at > 0 && headers[*at - 1].ks_kid >= kid)
        *at = 0;
    while (*at < count && headers[*at].ks_kid < kid)
        ++*at;
    return *at < count && headers[*at].ks_kid == kid ? *at : count;
}

/* Marks the headers that the chain has already (ks_resv 1). */
static void libkstat_chain_mark_known(const struct kstat_control *control, kstat_t *headers,
                                      uint_t count)
{
    uint_t at = 0;

    for (const struct kstat_node *node = libkstat_chain_first_of(control); node != NULL;
         node = libkstat_chain_next_of(node)) {
        uint_t place = libkstat_chain_place_of(headers, count, node->ks.ks_kid, &at);

        if (place < count)
            headers[place].ks_resv = 1;
    }
}

/* Nodes for the headers without a mark, in *LIST. */
static int libkstat_chain_make_nodes(const kstat_t *headers, uint_t count, kstat_t **list)
{
    kstat_t **link = list;

    *link = NULL;
    for (uint_t i = 0; i < count; i++) {
        struct kstat_node *node;

        if (headers[i].ks_resv != 0)
            continue;
        node = stats_port_alloc(sizeof *node);
        if (node == NULL) {
            libkstat_chain_free_chain((struct kstat_node *)*list);
            return -ENOMEM;
        }
        node->ks = headers[i];
        node->ks.ks_next = NULL;
        node->ks.ks_data = NULL;
        *link = &node->ks;
        link = &node->ks.ks_next;
    }
    return 0;
}

/* Frees what HEADERS no longer have; the end of the chain. */
static kstat_t **libkstat_chain_remove_gone(struct kstat_control *control, const kstat_t *headers,
                                            uint_t count)
{
    kstat_t **link = &control->ctl.kc_chain;
    uint_t at = 0;

    while (*link != NULL) {
        kstat_t *ksp = *link;

        if (libkstat_chain_place_of(headers, count, ksp->ks_kid, &at) < count) {
            link = &ksp->ks_next;
        } else {
            *link = ksp->ks_next;
            libkstat_chain_free_node((struct kstat_node *)ksp);
        }
    }
    return link;
}

int kstat_control_merge(struct kstat_control *control, kstat_t *headers, uint_t count)
{
    kstat_t *fresh;

    for (uint_t i = 0; i < count; i++)
        headers[i].ks_resv = 0;
    libkstat_chain_mark_known(control, headers, count);
    if (libkstat_chain_make_nodes(headers, count, &fresh) != 0)
        return -ENOMEM;
    if (libkstat_chain_make_names(control, count) != 0) {
        libkstat_chain_free_chain((struct kstat_node *)fresh);
        return -ENOMEM;
    }
    *libkstat_chain_remove_gone(control, headers, count) = fresh;
    libkstat_chain_fill_names(control);
    return 0;
}

void kstat_control_empty(struct kstat_control *control)
{
    libkstat_chain_free_chain(libkstat_chain_first_of(control));
    control->ctl.kc_chain = NULL;
    libkstat_chain_free_names(control);
}
