/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader's copy of the chain: see libkstat_chain.h. */
#include "stats/libkstat_chain.h"

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"

static uint32_t hash_of(const char *module, int instance, const char *name)
{
    uint32_t hash = (uint32_t)instance;

    for (; *module != '\0'; module++)
        hash = hash * 127 + (unsigned char)*module;
    hash *= 127;
    for (; *name != '\0'; name++)
        hash = hash * 127 + (unsigned char)*name;
    return hash ^ hash >> 15;
}

static struct kstat_node *next_of(const struct kstat_node *node)
{
    return (struct kstat_node *)node->ks.ks_next;
}

static struct kstat_node *first_of(const struct kstat_control *control)
{
    return (struct kstat_node *)control->ctl.kc_chain;
}

kstat_t *kstat_control_find(const struct kstat_control *control, const char *module, int instance,
                            const char *name)
{
    struct kstat_node *node;

    if (control->bucket_count == 0)
        return NULL;
    node = control->buckets[hash_of(module, instance, name) & (control->bucket_count - 1)];
    while (node != NULL &&
           (node->ks.ks_instance != instance || strcmp(node->ks.ks_module, module) != 0 ||
            strcmp(node->ks.ks_name, name) != 0))
        node = node->same_name;
    return node != NULL ? &node->ks : NULL;
}

static void free_node(struct kstat_node *node)
{
    if (node->ks.ks_data != NULL)
        stats_port_free(node->ks.ks_data, node->ks.ks_data_size);
    stats_port_free(node, sizeof *node);
}

static void free_chain(struct kstat_node *node)
{
    while (node != NULL) {
        struct kstat_node *next = next_of(node);

        free_node(node);
        node = next;
    }
}

static void free_buckets(struct kstat_control *control)
{
    if (control->buckets != NULL)
        stats_port_free(control->buckets, control->bucket_count * sizeof(struct kstat_node *));
    control->buckets = NULL;
    control->bucket_count = 0;
}

/* A table that is large enough for COUNT. */
static int make_buckets(struct kstat_control *control, uint_t count)
{
    struct kstat_node **buckets;
    uint_t wanted = 64;

    while (wanted < count)
        wanted *= 2;
    if (wanted <= control->bucket_count)
        return 0;
    buckets = stats_port_alloc(wanted * sizeof(struct kstat_node *));
    if (buckets == NULL)
        return -ENOMEM;
    free_buckets(control);
    control->buckets = buckets;
    control->bucket_count = wanted;
    return 0;
}

static void fill_buckets(struct kstat_control *control)
{
    if (control->bucket_count == 0)
        return;
    memset(control->buckets, 0, control->bucket_count * sizeof(struct kstat_node *));
    for (struct kstat_node *node = first_of(control); node != NULL; node = next_of(node)) {
        uint32_t hash = hash_of(node->ks.ks_module, node->ks.ks_instance, node->ks.ks_name);
        struct kstat_node **bucket = &control->buckets[hash & (control->bucket_count - 1)];

        node->same_name = *bucket;
        *bucket = node;
    }
}

/*
 * The place of KID in HEADERS, or COUNT. *AT is where the last search ended: searches in
 * increasing order, which is the rule, take one pass together.
 */
static uint_t place_of(const kstat_t *headers, uint_t count, kid_t kid, uint_t *at)
{
    if (*at > 0 && headers[*at - 1].ks_kid >= kid)
        *at = 0;
    while (*at < count && headers[*at].ks_kid < kid)
        ++*at;
    return *at < count && headers[*at].ks_kid == kid ? *at : count;
}

/* Marks the headers that the chain has already (ks_resv 1). */
static void mark_known(const struct kstat_control *control, kstat_t *headers, uint_t count)
{
    uint_t at = 0;

    for (const struct kstat_node *node = first_of(control); node != NULL; node = next_of(node)) {
        uint_t place = place_of(headers, count, node->ks.ks_kid, &at);

        if (place < count)
            headers[place].ks_resv = 1;
    }
}

/* Nodes for the headers without a mark, in *LIST. */
static int make_nodes(const kstat_t *headers, uint_t count, kstat_t **list)
{
    kstat_t **link = list;

    *link = NULL;
    for (uint_t i = 0; i < count; i++) {
        struct kstat_node *node;

        if (headers[i].ks_resv != 0)
            continue;
        node = stats_port_alloc(sizeof *node);
        if (node == NULL) {
            free_chain((struct kstat_node *)*list);
            return -ENOMEM;
        }
        node->ks = headers[i];
        node->ks.ks_next = NULL;
        node->ks.ks_data = NULL;
        node->same_name = NULL;
        *link = &node->ks;
        link = &node->ks.ks_next;
    }
    return 0;
}

/* Frees what HEADERS no longer have; the end of the chain. */
static kstat_t **remove_gone(struct kstat_control *control, const kstat_t *headers, uint_t count)
{
    kstat_t **link = &control->ctl.kc_chain;
    uint_t at = 0;

    while (*link != NULL) {
        kstat_t *ksp = *link;

        if (place_of(headers, count, ksp->ks_kid, &at) < count) {
            link = &ksp->ks_next;
        } else {
            *link = ksp->ks_next;
            free_node((struct kstat_node *)ksp);
        }
    }
    return link;
}

int kstat_control_merge(struct kstat_control *control, kstat_t *headers, uint_t count)
{
    kstat_t *fresh;

    for (uint_t i = 0; i < count; i++)
        headers[i].ks_resv = 0;
    mark_known(control, headers, count);
    if (make_nodes(headers, count, &fresh) != 0)
        return -ENOMEM;
    if (make_buckets(control, count) != 0) {
        free_chain((struct kstat_node *)fresh);
        return -ENOMEM;
    }
    *remove_gone(control, headers, count) = fresh;
    fill_buckets(control);
    return 0;
}

void kstat_control_empty(struct kstat_control *control)
{
    free_chain(first_of(control));
    control->ctl.kc_chain = NULL;
    free_buckets(control);
}
