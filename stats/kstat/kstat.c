/* SPDX-License-Identifier: BSD-2-Clause */
/* Making and unmaking kstats: see <sys/kstat.h>. */
#include <sys/kstat.h>

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/kstat/kstat_make.h"
#include "stats/kstat/kstat_registry.h"
#include "stats/port.h"

static const size_t record_sizes[KSTAT_NUM_TYPES] = {
    1, sizeof(kstat_named_t), sizeof(kstat_intr_t), sizeof(kstat_io_t), sizeof(kstat_timer_t),
};

/* What fits of SRC, to zeroes. */
static void kstat_put_string(char *dst, const char *src)
{
    const char *end = dst + KSTAT_STRLEN - 1;

    while (dst < end && *src != '\0')
        *dst++ = *src++;
}

void kstat_set_string(char *dst, const char *src)
{
    memset(dst, 0, KSTAT_STRLEN);
    kstat_put_string(dst, src);
}

void kstat_named_init(kstat_named_t *knp, const char *name, uchar_t data_type)
{
    *knp = (kstat_named_t){.data_type = data_type};
    kstat_put_string(knp->name, name);
}

void kstat_named_setstr(kstat_named_t *knp, const char *src)
{
    if (knp->data_type != KSTAT_DATA_STRING)
        stats_port_panic("kstat_named_setstr(\"%.*s\"): not a string, type %u", KSTAT_STRLEN,
                         knp->name, knp->data_type);
    knp->value.str.len = src != NULL ? (uint32_t)strlen(src) + 1 : 0;
    knp->value.str.addr.ptr = (char *)(uintptr_t)src;
}

void kstat_timer_init(kstat_timer_t *ktp, const char *name)
{
    *ktp = (kstat_timer_t){.num_events = 0};
    kstat_put_string(ktp->name, name);
}

void kstat_enter(kstat_t *ksp)
{
    if (ksp->ks_lock != NULL)
        stats_port_mutex_enter(ksp->ks_lock);
}

void kstat_exit(kstat_t *ksp)
{
    if (ksp->ks_lock != NULL)
        stats_port_mutex_exit(ksp->ks_lock);
}

/* "<module><instance>" */
static void kstat_default_name(char *name, const char *module, int instance)
{
    char digits[12];
    size_t at = sizeof digits;
    uint32_t value = instance < 0 ? 0u - (uint32_t)instance : (uint32_t)instance;
    size_t length = strlen(module);

    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (instance < 0)
        digits[--at] = '-';
    memset(name, 0, KSTAT_STRLEN);
    memcpy(name, module, length);
    memcpy(name + length, digits + at, strnlen(digits + at, KSTAT_STRLEN - 1 - length));
}

static void kstat_refused(const struct kstat_wish *wish, const char *why)
{
    stats_port_log("kstat_create(\"%s\", %d, \"%s\"): %s", wish->module, wish->instance, wish->name,
                   why);
}

/* NULL if the wish can be granted as far as it alone tells. */
static const char *kstat_what_is_wrong(const struct kstat_wish *wish)
{
    uchar_t flags = wish->flags;

    if (wish->type >= KSTAT_NUM_TYPES)
        return "invalid type";
    if ((flags & KSTAT_FLAG_PERSISTENT) && (flags & KSTAT_FLAG_VIRTUAL))
        return "cannot be both persistent and virtual";
    if ((flags & KSTAT_FLAG_VAR_SIZE) && !(flags & KSTAT_FLAG_VIRTUAL))
        return "of variable size, so it must be virtual";
    if ((wish->type == KSTAT_TYPE_INTR || wish->type == KSTAT_TYPE_IO) && wish->ndata != 1)
        return "this type has exactly one record";
    if (wish->ndata > INT32_MAX)
        return "too many records";
    return NULL;
}

static void kstat_set_defaults(kstat_t *ksp)
{
    ksp->ks_update = kstat_default_update;
    ksp->ks_private = NULL;
    ksp->ks_snapshot = kstat_default_snapshot;
    ksp->ks_lock = NULL;
}

struct ekstat *kstat_make(const struct kstat_wish *wish)
{
    struct ekstat *e = stats_port_alloc(sizeof *e);
    kstat_t *ksp;

    if (e == NULL)
        return NULL;
    memset(e, 0, sizeof *e);
    ksp = &e->ks;
    ksp->ks_crtime = (hrtime_t)stats_port_time_ns();
    ksp->ks_snaptime = ksp->ks_crtime;
    memcpy(ksp->ks_module, wish->module, KSTAT_STRLEN);
    ksp->ks_instance = wish->instance;
    memcpy(ksp->ks_name, wish->name, KSTAT_STRLEN);
    ksp->ks_type = wish->type;
    memcpy(ksp->ks_class, wish->class_name, KSTAT_STRLEN);
    ksp->ks_flags = wish->flags | KSTAT_FLAG_INVALID;
    ksp->ks_ndata = wish->ndata;
    ksp->ks_data_size = wish->ndata * record_sizes[wish->type];
    kstat_set_defaults(ksp);
    if (!(wish->flags & KSTAT_FLAG_VIRTUAL) && ksp->ks_data_size > 0) {
        e->data_size = ksp->ks_data_size;
        e->data = stats_port_alloc(e->data_size);
        if (e->data == NULL) {
            kstat_registry_free(e);
            return NULL;
        }
        memset(e->data, 0, e->data_size);
        ksp->ks_data = e->data;
    }
    return e;
}

/* Under the chain's mutex: whether the dormant kstat OLD is what is asked for. */
static bool kstat_fits(const kstat_t *old, const struct kstat_wish *wish)
{
    return strcmp(old->ks_class, wish->class_name) == 0 && old->ks_type == wish->type &&
           old->ks_ndata == wish->ndata && !(wish->flags & KSTAT_FLAG_VIRTUAL);
}

static void kstat_wish_for(struct kstat_wish *wish, const char *module, int instance,
                           const char *name)
{
    kstat_set_string(wish->module, module);
    wish->instance = instance;
    if (name != NULL)
        kstat_set_string(wish->name, name);
    else
        kstat_default_name(wish->name, wish->module, instance);
}

kstat_t *kstat_create(const char *module, int instance, const char *name, const char *ks_class,
                      uchar_t type, uint_t ndata, uchar_t flags)
{
    struct kstat_wish wish;
    struct ekstat *fresh;
    struct ekstat *old;
    const char *wrong;

    kstat_init();
    kstat_wish_for(&wish, module, instance, name);
    kstat_set_string(wish.class_name, ks_class);
    wish.type = type;
    wish.ndata = ndata;
    wish.flags = flags & (KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE | KSTAT_FLAG_WRITABLE |
                          KSTAT_FLAG_PERSISTENT);
    wrong = kstat_what_is_wrong(&wish);
    if (wrong != NULL) {
        kstat_refused(&wish, wrong);
        return NULL;
    }
    fresh = kstat_make(&wish); /* before the mutex is taken, and in vain if there is one already */
    stats_port_mutex_enter(stats_port_chain_mutex());
    old = kstat_registry_find_name(wish.module, wish.instance, wish.name);
    if (old == NULL && fresh != NULL)
        kstat_registry_insert(fresh);
    else if (old == NULL)
        wrong = "no memory";
    else if (!(old->ks.ks_flags & KSTAT_FLAG_DORMANT))
        wrong = "namespace collision";
    else if (!kstat_fits(&old->ks, &wish))
        wrong = "a dormant one of that name is different";
    stats_port_mutex_exit(stats_port_chain_mutex());
    if (old != NULL && fresh != NULL)
        kstat_registry_free(fresh);
    if (wrong != NULL) {
        kstat_refused(&wish, wrong);
        return NULL;
    }
    return old != NULL ? &old->ks : &fresh->ks;
}

/* Holds KSP, and says so in the log if it does not exist. */
static struct ekstat *kstat_hold(kstat_t *ksp, const char *who)
{
    struct ekstat *e = kstat_registry_hold(ksp->ks_kid);

    if (e != NULL && &e->ks == ksp)
        return e;
    if (e != NULL)
        kstat_registry_release(e);
    stats_port_log("%s(%p): does not exist", who, (void *)ksp);
    return NULL;
}

static bool kstat_has_strings(const kstat_t *ksp)
{
    const kstat_named_t *record = ksp->ks_data;

    if (ksp->ks_type != KSTAT_TYPE_NAMED || record == NULL)
        return false;
    for (uint_t i = 0; i < ksp->ks_ndata; i++) {
        if (record[i].data_type == KSTAT_DATA_STRING)
            return true;
    }
    return false;
}

void kstat_install(kstat_t *ksp)
{
    struct ekstat *e;

    if (ksp == NULL)
        return;
    if ((ksp->ks_flags & KSTAT_FLAG_VAR_SIZE) && ksp->ks_lock == NULL)
        stats_port_panic("kstat_install(\"%s\" %d \"%s\"): of variable size, so it needs ks_lock",
                         ksp->ks_module, ksp->ks_instance, ksp->ks_name);
    if (kstat_has_strings(ksp)) {
        ksp->ks_flags |= KSTAT_FLAG_LONGSTRINGS;
        if ((ksp->ks_flags & KSTAT_FLAG_WRITABLE) && ksp->ks_snapshot == kstat_default_snapshot)
            stats_port_panic("kstat_install(\"%s\" %d \"%s\"): writable strings need ks_snapshot",
                             ksp->ks_module, ksp->ks_instance, ksp->ks_name);
    }
    e = kstat_hold(ksp, "kstat_install");
    if (e == NULL)
        return;
    kstat_enter(ksp);
    if (ksp->ks_flags & KSTAT_FLAG_LONGSTRINGS)
        kstat_measure_strings(ksp);
    if (ksp->ks_flags & KSTAT_FLAG_DORMANT)
        ksp->ks_update(ksp, KSTAT_WRITE);
    kstat_exit(ksp);
    stats_port_mutex_enter(stats_port_chain_mutex());
    ksp->ks_flags &= (uchar_t) ~(KSTAT_FLAG_DORMANT | KSTAT_FLAG_INVALID);
    kstat_registry_release_locked(e);
    stats_port_mutex_exit(stats_port_chain_mutex());
}

/* It stays, with its data as of now, and has no maker. */
static void kstat_fall_asleep(struct ekstat *e)
{
    kstat_t *ksp = &e->ks;

    kstat_enter(ksp);
    ksp->ks_update(ksp, KSTAT_READ);
    kstat_exit(ksp);
    stats_port_mutex_enter(stats_port_chain_mutex());
    ksp->ks_flags |= KSTAT_FLAG_DORMANT;
    kstat_set_defaults(ksp);
    kstat_registry_release_locked(e);
    stats_port_mutex_exit(stats_port_chain_mutex());
}

/* E is held, and gone afterwards, or asleep. */
static void kstat_delete_held(struct ekstat *e)
{
    if (e->ks.ks_flags & KSTAT_FLAG_PERSISTENT) {
        kstat_fall_asleep(e);
        return;
    }
    stats_port_mutex_enter(stats_port_chain_mutex());
    kstat_registry_remove(e);
    kstat_registry_release_locked(e);
    stats_port_mutex_exit(stats_port_chain_mutex());
    kstat_registry_free(e);
}

/* A reader may be waiting for the lock, and whoever deletes waits for the reader. */
static bool kstat_is_locked_by_caller(const kstat_t *ksp)
{
    return ksp->ks_lock != NULL && stats_port_mutex_owned(ksp->ks_lock);
}

void kstat_delete(kstat_t *ksp)
{
    struct ekstat *e;

    if (ksp == NULL)
        return;
    if (kstat_is_locked_by_caller(ksp))
        stats_port_panic("kstat_delete(\"%s\" %d \"%s\"): caller holds its ks_lock", ksp->ks_module,
                         ksp->ks_instance, ksp->ks_name);
    e = kstat_hold(ksp, "kstat_delete");
    if (e != NULL)
        kstat_delete_held(e);
}

void kstat_delete_byname(const char *module, int instance, const char *name)
{
    struct kstat_wish wish;
    struct ekstat *e;
    kid_t kid = -1;
    bool locked;

    kstat_init();
    kstat_wish_for(&wish, module, instance, name);
    stats_port_mutex_enter(stats_port_chain_mutex());
    e = kstat_registry_find_name(wish.module, instance, wish.name);
    locked = e != NULL && kstat_is_locked_by_caller(&e->ks);
    if (e != NULL)
        kid = e->ks.ks_kid; /* E itself may be deleted by another thread as soon as the mutex is
                               left */
    stats_port_mutex_exit(stats_port_chain_mutex());
    if (locked)
        stats_port_panic("kstat_delete_byname(\"%s\" %d \"%s\"): caller holds its ks_lock",
                         wish.module, instance, wish.name);
    e = kid < 0 ? NULL : kstat_registry_hold(kid);
    if (e != NULL)
        kstat_delete_held(e);
}
