/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters, evcnt(9): a 64-bit count with a type, a group, a name and perhaps a parent.
 *
 *     static struct evcnt aligntrap_ev =
 *         EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu", "aligntrap");
 *     EVCNT_ATTACH_STATIC(aligntrap_ev);
 *     ...
 *     evcnt_incr(&aligntrap_ev);
 *
 * LOSS POLICY: none. evcnt_incr() counts exactly, whatever interrupts it, without a lock and
 * without holding interrupts off: each CPU has its own cell of a counter, and a machine's way of
 * adding one to the cell of this CPU cannot be split by an interrupt (<machine/evcnt.h>). Nothing
 * ever resets a count: who wants a rate subtracts two readings. A count wraps at 2^64.
 *
 * CONTEXTS
 *   evcnt_incr, evcnt_value   anywhere: threads, interrupt handlers, NMI, lock held or not, before
 *                             evcnt_init, on a counter that is not attached (attach_dynamic clears
 *                             what was counted before; attach_static and _nozero keep it)
 *
 *   evcnt_lookup              anywhere but NMI (it takes the registry's lock for a moment). What it
 *                             returns stays a counter until it is detached
 *
 *   attach and detach         threads and start-up; may ask for memory, and do without it.
 * Detaching waits for other CPUs: interrupts on, no spinlock held
 *
 * A counter may be raised, on any CPU, while it is detached: what was counted before evcnt_detach
 * returned is in its value. For that, detaching waits until every CPU has taken an interrupt. Its
 * memory must last as long as it is raised. Others may read it, and any counter may be attached,
 * listed and looked up, meanwhile, on any CPU.
 *
 * READING is evcnt_value(): it stops nobody and never sees half a number. ev_count alone is only
 * what has been added to it directly, by drivers written before evcnt_incr (`ev.ev_count++`, which
 * promises no more than it ever did; under the driver's own lock it is exact). Of two readings, one
 * after the other, the second is never less, also while the counter is attached or detached; only
 * attach_dynamic begins at 0. Detaching leaves the final value readable by evcnt_value().
 *
 * HIERARCHY is naming: raising a child does not raise its parent. Who raises both raises the
 * parent first; reports read children first, so that no child exceeds its parent in a report.
 * A parent is attached before its children and detached after them.
 *
 * A SHARE (evcnt_attach_share) is a child that nobody raises: its value is what one CPU counted of
 * its parent, read from that CPU's cell. Nothing is counted twice. What CPU 0 counted includes what
 * was counted before the cells came; what was added to ev_count, or counted by another CPU while
 * the counter was not attached, belongs to no CPU. But for those, the shares of all CPUs sum to the
 * whole when it is quiet; in a report they never exceed it.
 *
 * MISUSE panics, always, naming the counter, with nothing changed: a NULL string or one of 0 or of
 * EVCNT_STRING_MAX and more characters, a type that is none, a parent that is not attached,
 * attaching what is attached, detaching what is not, detaching what still has children, a share
 * without a whole or of a share. Raising a share is misuse too, but not caught: it counts nothing.
 *
 * This is not where counters are listed or printed: see stats/evcnt/evcnt_export.h and
 * stats/read/vmstat.h.
 */
#ifndef _SYS_EVCNT_H_
#define _SYS_EVCNT_H_

#include <stddef.h>
#include <stdint.h>
#include "lib/hash_table.h"
#include <sys/types.h>
#include <sys/queue.h>
#include "lib/linker_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Filled by EVCNT_INITIALIZER or by attaching. The fields up to ev_name, and ev_since, are the
 * interface; the others are private to the registry (under its lock) and to <machine/evcnt.h>. The
 * strings are referenced, not copied: they stay valid and unchanged while the counter is attached.
 */
struct evcnt {
    u_int64_t ev_count;            /* added directly; see evcnt_value */
    TAILQ_ENTRY(evcnt) ev_list;    /* on allevents, in the order of attaching */
    unsigned char ev_version;      /* EVCNT_VERSION */
    unsigned char ev_type;         /* EVCNT_TYPE_* */
    unsigned char ev_grouplen;     /* length of the group, without its NUL */
    unsigned char ev_namelen;      /* length of the name, without its NUL */
    const struct evcnt *ev_parent; /* the counter this one is a part of, or NULL */
    const char *ev_group;          /* whose event: "com0" */
    const char *ev_name;           /* which event: "rx bytes" */

    uint64_t ev_cell0;          /* machine: CPU 0's cell */
    uintptr_t ev_cells;         /* machine: where the cells of the other CPUs are, to raise */
    uintptr_t ev_held;          /* machine: the same, to read: a little longer */
    uint64_t ev_strays;         /* machine: what CPUs without a cell counted, atomically */
    uint64_t ev_kept;           /* machine: what the cells held when they were given back */
    struct hash_link ev_link;   /* by group and name (in the oldest of equal names only) */
    struct evcnt *ev_same_next; /* ring of counters of equal group and name, */
    struct evcnt *ev_same_prev; /* by age; the oldest is the one in the bucket */
    uintptr_t ev_mark;          /* says "attached", for this address only */
    uint32_t ev_children;       /* attached counters that name this one as parent */
    uint32_t ev_sequence;       /* machine: moves when the cells have gone */
    uint32_t ev_share;          /* of a share: its CPU's number + 1; else 0 */
    uint64_t ev_since;          /* when what it holds began to be counted: ns since start-up */
};

#define EVCNT_VERSION    1
#define EVCNT_STRING_MAX 256 /* with the NUL: 255 characters are legal, 256 are not */

#define EVCNT_TYPE_ANY  (-1) /* a filter, never a counter's type */
#define EVCNT_TYPE_MISC 0    /* none of the others */
#define EVCNT_TYPE_INTR 1    /* interrupts: vmstat -i */
#define EVCNT_TYPE_TRAP 2    /* exceptions and faults */

/* GROUP and NAME are constant strings. */
#define EVCNT_INITIALIZER(type, parent, group, name)                                               \
    {0, {NULL, NULL}, EVCNT_VERSION, (type), 0, 0, (parent), (group), (name), 0, 0, 0, 0,          \
     0, {NULL, 0},    NULL,          NULL,   0, 0, 0,        0,       0}

/*
 * At file scope: has evcnt_init() attach EV, or element N of the array EV. Parents among them are
 * attached before their children, wherever they are defined.
 */
#define EVCNT_ATTACH_STATIC(ev)     LINKER_SET_ADD(evcnts, ev)
#define EVCNT_ATTACH_STATIC2(ev, n) LINKER_SET_ADD(evcnts, (ev)[n])

TAILQ_HEAD(evcntlist, evcnt);

/*
 * Every attached counter, oldest first. For reading where nothing attaches or detaches meanwhile,
 * as in a debugger or a test; otherwise use stats/evcnt/evcnt_export.h.
 */
extern struct evcntlist allevents;

/* Attaches what EVCNT_ATTACH_STATIC named. Once, by start-up; attaching may come before it. */
void evcnt_init(void);

/* Attaches a counter filled by EVCNT_INITIALIZER. Its count is kept. */
void evcnt_attach_static(struct evcnt *ev);

/* Clears the counter, whatever the memory held, fills it from the arguments, attaches it. */
void evcnt_attach_dynamic(struct evcnt *ev, int type, const struct evcnt *parent, const char *group,
                          const char *name);

/* The same, keeping the count: for memory that was zeroed, initialised or detached before. */
void evcnt_attach_dynamic_nozero(struct evcnt *ev, int type, const struct evcnt *parent,
                                 const char *group, const char *name);

/* Attaches EV, whatever its memory held, as what CPU counts of WHOLE, a child of WHOLE's type. */
void evcnt_attach_share(struct evcnt *ev, struct evcnt *whole, unsigned cpu, const char *group,
                        const char *name);

/* Takes the counter off the list. Its strings and value stay in the structure. */
void evcnt_detach(struct evcnt *ev);

/* What CPU counted of EV, as a share of it would say; all of it on a machine with one CPU. */
uint64_t evcnt_cpu_value(const struct evcnt *ev, unsigned cpu);

/* All that was ever counted: the sum over CPUs, and what was added to ev_count directly. */
uint64_t evcnt_value(const struct evcnt *ev);

/* The oldest attached counter of that group and name; NULL if there is none. */
struct evcnt *evcnt_lookup(const char *group, const char *name);

/*
 * <machine/evcnt.h> defines, inline or not:
 *
 *   void evcnt_machine_incr(struct evcnt *ev)
 *       adds one to this CPU's cell; exact against interrupts at any point, and on a counter that
 *       is not attached.
 *   uint64_t evcnt_machine_value(const struct evcnt *ev)
 *       ev_count and the sum of all cells, each read whole. Waits for nobody.
 *   uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu)
 *       what CPU counted; 0 for a CPU that there is not.
 *   void evcnt_machine_clear(struct evcnt *ev)
 *       sets a counter that is not attached, whose memory may hold anything, to 0, but for
 *       ev_count.
 *   void evcnt_machine_attach(struct evcnt *ev)
 *       prepares the cells before the counter is listed. The count in them is kept. Cannot fail;
 * called under the registry's lock. bool evcnt_machine_stop(struct evcnt *ev) increments that begin
 * from now on leave the cells alone; under the registry's lock. True: some may be under way, and
 * void evcnt_machine_settle(void), without the lock, returns when they are over. void
 * evcnt_machine_detach(struct evcnt *ev) after these, with the lock: gives back what attach took;
 * evcnt_machine_value(ev) is the same before, after and meanwhile.
 */
#include <machine/evcnt.h>

/* void evcnt_incr(struct evcnt *ev): one more. */
#define evcnt_incr(ev) evcnt_machine_incr(ev)

#ifdef __cplusplus
}
#endif

#endif
