/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * evcnt(9): attaching, detaching, looking up and reading event counters, and catching those who do
 * it wrong. The contract is in <sys/evcnt.h>, the list and the hash table in evcnt_registry.c.
 */
#include <sys/evcnt.h>

#include "lib/string.h"
#include "stats/evcnt/evcnt_label.h"
#include "stats/evcnt/evcnt_registry.h"
#include "stats/port.h"

#define SHOWN_MAX 64 /* characters of a string that a panic shows */

/* Characters of a string that a panic shows; the precision of its %.*s. */
static int evcnt_shown(const char *string)
{
    const char *end = string;

    while (end - string < SHOWN_MAX && *end != '\0')
        end++;
    return (int)(end - string);
}

static void __attribute__((noreturn, cold)) evcnt_misuse(const char *group, const char *name,
                                                         const char *what)
{
    if (group == NULL)
        group = "(null)";
    if (name == NULL)
        name = "(null)";
    stats_port_panic("evcnt: \"%.*s\" \"%.*s\": %s", evcnt_shown(group), group, evcnt_shown(name),
                     name, what);
}

/*
 * Whether the strings of a counter that is not attached may be looked at: after it was detached,
 * if it was only initialised, or if it is a copy of one that is attached. Other memory may hold
 * anything, so only its address is shown.
 */
static bool evcnt_has_strings(const struct evcnt *ev)
{
    const struct evcnt *other;

    if (ev->ev_mark == evcnt_mark_detached(ev))
        return true;
    if (ev->ev_mark == 0)
        return ev->ev_version <= EVCNT_VERSION && ev->ev_type <= EVCNT_TYPE_TRAP &&
               ev->ev_list.tqe_next == NULL && ev->ev_list.tqe_prev == NULL &&
               ev->ev_link.next == NULL && ev->ev_link.hash == 0 && ev->ev_children == 0;
    TAILQ_FOREACH (other, &allevents, ev_list) {
        if (ev->ev_group == other->ev_group && ev->ev_name == other->ev_name)
            return true;
    }
    return false;
}

static void __attribute__((noreturn, cold)) evcnt_misuse_of(const struct evcnt *ev,
                                                            const char *what)
{
    if (!evcnt_has_strings(ev))
        stats_port_panic("evcnt: at %p: %s", (const void *)ev, what);
    evcnt_misuse(ev->ev_group, ev->ev_name, what);
}

/* Legal lengths are 1 to 255. */
static inline bool evcnt_is_legal(unsigned length)
{
    return length - 1 < EVCNT_STRING_MAX - 1;
}

enum clearing { KEEP, CLEAR };

/* When what EV holds began to be counted: one that was attached before goes on; one that has
 * counted before anybody attached it may have done so from start-up on. */
static inline uint64_t evcnt_since_of(const struct evcnt *ev, enum clearing clearing)
{
    uint64_t now = stats_port_time_ns();

    if (now == 0 || clearing == CLEAR)
        return now;
    if (ev->ev_mark == evcnt_mark_detached(ev))
        return ev->ev_since;
    return evcnt_value(ev) == 0 ? now : 0;
}

struct evcnt_label evcnt_label_of(const char *group, const char *name)
{
    return (struct evcnt_label){
        .group = group,
        .name = name,
        .grouplen = group ? (unsigned)strnlen(group, EVCNT_STRING_MAX) : 0,
        .namelen = name ? (unsigned)strnlen(name, EVCNT_STRING_MAX) : 0,
    };
}

static const char *evcnt_label_fault(const struct evcnt_label *label)
{
    if (label->group == NULL || label->name == NULL)
        return label->group == NULL ? "group is NULL" : "name is NULL";
    if (!evcnt_is_legal(label->grouplen))
        return label->grouplen == 0 ? "group is empty" : "group has 256 or more characters";
    return label->namelen == 0 ? "name is empty" : "name has 256 or more characters";
}

/* With the lock held, of what may be attached; with its time. SHARE: see ev_share. */
static inline void evcnt_attach_to_registry(struct evcnt *ev, int type, const struct evcnt *parent,
                                            const struct evcnt_label *label, enum clearing clearing,
                                            uint32_t share)
{
    if (clearing == CLEAR) {
        ev->ev_count = 0;
        evcnt_machine_clear(ev);
    }
    ev->ev_version = EVCNT_VERSION;
    ev->ev_type = (unsigned char)type;
    ev->ev_grouplen = (unsigned char)label->grouplen;
    ev->ev_namelen = (unsigned char)label->namelen;
    ev->ev_parent = parent;
    ev->ev_group = label->group;
    ev->ev_name = label->name;
    __atomic_store_n(&ev->ev_share, share, __ATOMIC_RELEASE);
    if (share == 0)
        evcnt_machine_attach(ev);
    evcnt_registry_append(ev);
}

/* With the lock held. NULL, or why EV cannot be attached under LABEL, whatever it is of. */
static inline const char *evcnt_attach_fault(const struct evcnt *ev,
                                             const struct evcnt_label *label)
{
    if (!evcnt_is_legal(label->grouplen) || !evcnt_is_legal(label->namelen))
        return evcnt_label_fault(label);
    return evcnt_is_attached(ev) ? "attached already" : NULL;
}

/* With the lock held. NULL, or what is wrong; then nothing was changed. */
static inline const char *evcnt_attach_locked(struct evcnt *ev, int type,
                                              const struct evcnt *parent,
                                              const struct evcnt_label *label,
                                              enum clearing clearing)
{
    const char *fault = evcnt_attach_fault(ev, label);

    if (fault != NULL)
        return fault;
    if ((unsigned)type > EVCNT_TYPE_TRAP)
        return "no such type";
    if (parent != NULL) {
        if (!evcnt_is_attached(parent))
            return "parent is not attached";
        /* No counter is constant: const says that the child leaves it alone. */
        ((struct evcnt *)(uintptr_t)parent)->ev_children++;
    }
    ev->ev_since = evcnt_since_of(ev, clearing);
    evcnt_attach_to_registry(ev, type, parent, label, clearing, 0);
    return NULL;
}

/* The same, of a share of WHOLE, which is attached. */
static inline const char *evcnt_attach_share_locked(struct evcnt *ev, struct evcnt *whole,
                                                    unsigned cpu, const struct evcnt_label *label)
{
    const char *fault = evcnt_attach_fault(ev, label);

    if (fault != NULL)
        return fault;
    whole->ev_children++;
    ev->ev_since = whole->ev_since;
    evcnt_attach_to_registry(ev, whole->ev_type, whole, label, CLEAR, cpu + 1);
    return NULL;
}

static inline void evcnt_attach_end(uintptr_t state, const struct evcnt_label *label,
                                    const char *fault)
{
    stats_port_unlock(state);
    if (fault != NULL)
        evcnt_misuse(label->group, label->name, fault);
    if (__atomic_load_n(&evcnt_registry.full, __ATOMIC_RELAXED))
        evcnt_registry_grow();
}

static void evcnt_attach(struct evcnt *ev, int type, const struct evcnt *parent, const char *group,
                         const char *name, enum clearing clearing)
{
    const struct evcnt_label label = evcnt_label_of(group, name);
    uintptr_t state = stats_port_lock();
    const char *fault = evcnt_attach_locked(ev, type, parent, &label, clearing);

    evcnt_attach_end(state, &label, fault);
}

void evcnt_attach_static(struct evcnt *ev)
{
    evcnt_attach(ev, ev->ev_type, ev->ev_parent, ev->ev_group, ev->ev_name, KEEP);
}

void evcnt_attach_dynamic(struct evcnt *ev, int type, const struct evcnt *parent, const char *group,
                          const char *name)
{
    evcnt_attach(ev, type, parent, group, name, CLEAR);
}

void evcnt_attach_dynamic_nozero(struct evcnt *ev, int type, const struct evcnt *parent,
                                 const char *group, const char *name)
{
    evcnt_attach(ev, type, parent, group, name, KEEP);
}

void evcnt_attach_row(struct evcnt *shares, struct evcnt *whole, unsigned cpu, unsigned count,
                      const struct evcnt_label *groups, struct evcnt_label label)
{
    uintptr_t state = stats_port_lock();
    const char *fault = NULL;

    if (whole == NULL || !evcnt_is_attached(whole))
        fault = "parent is not attached";
    else if (whole->ev_share != 0)
        fault = "a share of a share";
    for (unsigned i = 0; i < count; i++) {
        label.group = groups[i].group;
        label.grouplen = groups[i].grouplen;
        if (fault == NULL)
            fault = evcnt_attach_share_locked(&shares[i], whole, cpu + i, &label);
        if (fault != NULL)
            break;
    }
    evcnt_attach_end(state, &label, fault);
}

void evcnt_attach_share(struct evcnt *ev, struct evcnt *whole, unsigned cpu, const char *group,
                        const char *name)
{
    const struct evcnt_label label = evcnt_label_of(group, name);

    evcnt_attach_row(ev, whole, cpu, 1, &label, label);
}

/* What its CPU has counted until now becomes a count of the share's own. */
static void evcnt_end_share(struct evcnt *ev)
{
    __atomic_store_n(&ev->ev_cell0, evcnt_value(ev), __ATOMIC_RELAXED);
    __atomic_store_n(&ev->ev_share, 0, __ATOMIC_RELEASE);
}

static const char *evcnt_detach_fault(const struct evcnt *ev)
{
    if (!evcnt_is_attached(ev))
        return "not attached";
    return ev->ev_children != 0 ? "detached before its children" : NULL;
}

/* It stays attached, and whole, until no increment is under way any more. */
void evcnt_detach(struct evcnt *ev)
{
    uintptr_t state = stats_port_lock();
    const char *fault = evcnt_detach_fault(ev);

    if (fault == NULL && ev->ev_share == 0 && evcnt_machine_stop(ev)) {
        stats_port_unlock(state);
        evcnt_machine_settle();
        state = stats_port_lock();
        fault = evcnt_detach_fault(ev); /* what others did meanwhile */
    }
    if (fault == NULL) {
        if (ev->ev_share != 0)
            evcnt_end_share(ev);
        else
            evcnt_machine_detach(ev);
        evcnt_registry_remove(ev);
        if (ev->ev_parent != NULL)
            ((struct evcnt *)(uintptr_t)ev->ev_parent)->ev_children--;
    }
    stats_port_unlock(state);
    if (fault != NULL)
        evcnt_misuse_of(ev, fault);
}

uint64_t evcnt_cpu_value(const struct evcnt *ev, unsigned cpu)
{
    return evcnt_machine_share(ev, cpu);
}

/* Out of the way of evcnt_value. The share may have been detached meanwhile. */
static __attribute__((noinline, cold)) uint64_t evcnt_value_of_share(const struct evcnt *ev)
{
    uint32_t share = __atomic_load_n(&ev->ev_share, __ATOMIC_ACQUIRE);

    return share != 0 ? evcnt_machine_share(ev->ev_parent, share - 1) : evcnt_machine_value(ev);
}

uint64_t evcnt_value(const struct evcnt *ev)
{
    if (__atomic_load_n(&ev->ev_share, __ATOMIC_ACQUIRE) != 0)
        return evcnt_value_of_share(ev);
    return evcnt_machine_value(ev);
}

struct evcnt *evcnt_lookup(const char *group, const char *name)
{
    const struct evcnt_label label = evcnt_label_of(group, name);
    struct evcnt *found;
    uintptr_t state;

    if (!evcnt_is_legal(label.grouplen) || !evcnt_is_legal(label.namelen))
        return NULL;
    state = stats_port_lock();
    while (evcnt_registry.pending > EVCNT_INDEXED_AT_ONCE) { /* not all with the lock held */
        evcnt_registry_index(EVCNT_INDEXED_AT_ONCE);
        stats_port_unlock(state);
        state = stats_port_lock();
    }
    found = evcnt_registry_find(&label);
    stats_port_unlock(state);
    return found;
}

/* Something in the set could not be attached, or is in it twice. Attaching it says why. */
static void __attribute__((noreturn, cold)) evcnt_misuse_of_set(void)
{
    struct evcnt *const *member;
    struct evcnt *const *other;

    LINKER_SET_FOREACH (member, evcnts) {
        if (!evcnt_is_attached(*member))
            evcnt_attach_static(*member);
        for (other = member + 1; (const void *const *)other != LINKER_SET_END(evcnts); other++) {
            if (*other == *member)
                evcnt_attach_static(*member);
        }
    }
    stats_port_panic("evcnt: the set of static counters changed while it was attached");
}

/* The linker's order is none: a counter whose parent is still to come waits for another pass. */
void evcnt_init(void)
{
    struct evcnt *const *member;
    size_t waiting = 0;
    size_t attached;

    LINKER_SET_FOREACH (member, evcnts) {
        const struct evcnt *parent = (*member)->ev_parent;

        if (parent == NULL || evcnt_is_attached(parent))
            evcnt_attach_static(*member);
        else
            waiting++;
    }
    do {
        attached = 0;
        if (waiting == 0)
            return;
        LINKER_SET_FOREACH (member, evcnts) {
            if (!evcnt_is_attached(*member) && evcnt_is_attached((*member)->ev_parent)) {
                evcnt_attach_static(*member);
                attached++;
            }
        }
        waiting -= attached;
    } while (attached != 0);
    evcnt_misuse_of_set();
}
