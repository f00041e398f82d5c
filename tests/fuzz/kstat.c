/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing kstats: the input is a sequence of creations, installations, deletions, reads, writes and
 * updates of a reader's chain, right ones and wrong ones, compared with a model that searches an
 * array.
 */
#include <kstat.h>

#include <errno.h>
#include <quipu_host.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[NAMES] = {
    "a", "b", "c", "ab", "a:b", "long long long long long long ", "g", "h", "i", "j", "k", "l"};

/* Kstats by name; the reader's view beside it. */
static struct model {
    bool exists;
    bool installed;
    bool writable;
    bool persistent;
    bool dormant;
    kid_t kid;
    uint_t value;
    kstat_t *kernel;
    bool known; /* the reader has it */
    kid_t known_kid;
    kstat_t *node;
} models[NAMES];

static kid_t chain; /* the kernel's chain id */
static kid_t seen;  /* the reader's */
static kstat_ctl_t *kc;

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void create(struct model *m, const char *name, uint8_t flags)
{
    kstat_t *ksp = kstat_create("fuzz", 1, name, "misc", KSTAT_TYPE_INTR, 1,
                                flags & (KSTAT_FLAG_WRITABLE | KSTAT_FLAG_PERSISTENT));

    if (m->exists) {
        require((ksp != NULL) == m->dormant, "a name that is taken");
        return;
    }
    require(ksp != NULL && ksp->ks_kid == chain, "KID is the chain id");
    chain++;
    m->kernel = ksp;
    m->exists = true;
    m->installed = false;
    m->dormant = false;
    m->writable = (flags & KSTAT_FLAG_WRITABLE) != 0;
    m->persistent = (flags & KSTAT_FLAG_PERSISTENT) != 0;
    m->kid = ksp->ks_kid;
    m->value = 0;
}

static void install(struct model *m)
{
    if (!m->exists)
        return;
    kstat_install(m->kernel);
    m->installed = true;
    m->dormant = false;
}

static void delete(struct model *m, const char *name, bool by_name)
{
    if (by_name)
        kstat_delete_byname("fuzz", 1, name);
    else if (m->exists)
        kstat_delete(m->kernel);
    if (!m->exists)
        return;
    if (m->persistent) {
        m->dormant = true;
        return;
    }
    m->exists = false;
    chain++;
}

static void read_one(const struct model *m)
{
    kstat_intr_t intr;
    kid_t result;

    if (!m->known)
        return;
    result = kstat_read(kc, m->node, &intr);
    if (!m->exists || m->kid != m->known_kid) {
        require(result == -1 && errno == ENXIO, "reading what is gone");
        return;
    }
    require(result == chain && intr.intrs[2] == m->value, "reading");
}

static void write_one(struct model *m, uint8_t value)
{
    kstat_intr_t intr = {{1, 2, value, 4, 5}};
    kid_t result;

    if (!m->known)
        return;
    result = kstat_write(kc, m->node, &intr);
    if (!m->exists || m->kid != m->known_kid) {
        require(result == -1 && errno == ENXIO, "writing what is gone");
    } else if (!m->writable) {
        require(result == -1 && errno == EACCES, "writing what is not writable");
    } else {
        require(result == chain, "writing");
        m->value = value;
    }
}

static void update(void)
{
    kid_t result = kstat_chain_update(kc);
    unsigned count = 0;
    unsigned expected = 2;

    require(result == (chain == seen ? 0 : chain), "result of an update");
    require(kc->kc_chain_id == chain, "chain id after an update");
    for (unsigned i = 0; i < NAMES; i++) {
        struct model *m = &models[i];
        kstat_t *node = kstat_lookup(kc, "fuzz", 1, names[i]);

        if (result != 0) {
            bool same = m->known && m->exists && m->kid == m->known_kid;

            require((node != NULL) == (m->exists && m->installed), "what the reader sees");
            require(!same || node == m->node, "a node keeps its address");
            m->known = node != NULL;
            m->known_kid = m->kid;
            m->node = node;
        }
        require(node == (m->known ? m->node : NULL), "lookup");
        expected += m->known;
    }
    for (const kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next)
        count++;
    require(count == expected, "length of the chain");
    seen = chain;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    host_reset();
    memset(models, 0, sizeof models);
    kc = kstat_open();
    require(kc != NULL && kc->kc_chain_id == 2, "start");
    chain = 2;
    seen = 2;
    for (size_t i = 0; i + 1 < size; i += 2) {
        struct model *m = &models[data[i] % NAMES];
        const char *name = names[data[i] % NAMES];

        switch (data[i + 1] % 8) {
        case 0:
        case 1:
            create(m, name, data[i + 1] >> 2);
            break;
        case 2:
            install(m);
            break;
        case 3:
            delete (m, name, data[i + 1] & 8);
            break;
        case 4:
            write_one(m, data[i + 1]);
            break;
        case 5:
            update();
            break;
        default:
            read_one(m);
        }
    }
    kstat_close(kc);
    return 0;
}
