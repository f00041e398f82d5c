/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads' performance counters as kstats; see kstat_pmc_thread.h. */
#include "kernel/export/kstat_pmc_thread.h"
#include <sys/kstat.h>
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/mutex.h"
#include "kernel/pmc/pmc_thread.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"
#include "stats/read/kstat_text.h"
#include "stats/pmc/pmu_class.h"

/* value, children and overflows of a counter; value, children and two times of a set's event */
#define RECORDS_MAX (PMC_COUNTERS_MAX * 3 + PMU_EVENTS_MAX * 4)
#define NAME_LENGTH 80 /* before it is shortened */

struct shown {
    struct shown *next;
    struct pmc_thread_entry thread; /* at the last look: counters configured later are others */
    kstat_t *kstat;
};

static struct shown *shown; /* in order of their ids; the refresher's */

/* ks_lock of all of them; and the reading that is going on, from ks_update to ks_snapshot. */
static kmutex_t lock;
static SHARED_BSS struct pmc_thread_values values;
static SHARED_BSS struct {
    kstat_named_t record[RECORDS_MAX];
    unsigned count;
    hrtime_t time;
} reading;

static void kstat_pmc_thread_add(const char *name, const char *suffix, uint64_t value)
{
    kstat_named_t *record = &reading.record[reading.count++];
    char whole[NAME_LENGTH];

    format(whole, sizeof whole, "%s%s", name, suffix);
    memset(record, 0, sizeof *record);
    kstat_text_shorten(record->name, whole);
    record->data_type = KSTAT_DATA_UINT64;
    record->value.ui64 = value;
}

/* The second one of a name is NAME.2, and so on. */
static void kstat_pmc_thread_make_unique(char *name)
{
    char short_name[KSTAT_STRLEN];
    size_t length = strlen(name);
    unsigned number = 1, i;

    do {
        if (number > 1)
            format(name + length, NAME_LENGTH - length, ".%u", number);
        kstat_text_shorten(short_name, name);
        for (i = 0; i < reading.count && strcmp(reading.record[i].name, short_name) != 0; i++)
            ;
        number++;
    } while (i < reading.count);
}

/* EVENT.MODES, the latter if they are not all. */
static void kstat_pmc_thread_add_counter(const struct pmc_thread_counter *counter)
{
    static const char letters[] = "eksu"; /* by bit */
    const struct pmu_event *event = pmu_event_find(counter->cfg.event_id, NULL);
    uint32_t modes = counter->cfg.flags & PMC_MODE_ALL;
    char name[NAME_LENGTH];
    size_t length;

    strlcpy(name, event ? event->name : "?", KSTAT_STRLEN);
    length = strlen(name);
    if (modes != 0 && modes != PMC_MODE_ALL) {
        name[length++] = '.';
        for (unsigned bit = 4; bit-- > 0;)
            if (modes >> bit & 1)
                name[length++] = letters[bit];
        name[length] = '\0';
    }
    kstat_pmc_thread_make_unique(name);
    kstat_pmc_thread_add(name, "", counter->value);
    kstat_pmc_thread_add(name, "_children", counter->children);
    if (counter->cfg.reset_value != 0)
        kstat_pmc_thread_add(name, "_overflows", counter->overflows);
}

/* As it was asked for, but for the colon, which is kstat's own separator. */
static void kstat_pmc_thread_add_event(const struct pmu_set_share *set, unsigned e)
{
    char name[NAME_LENGTH];

    if (!set->event[e].supported)
        return;
    strlcpy(name, set->event[e].text, sizeof set->event[e].text);
    for (char *c = name; *c != '\0'; c++)
        if (*c == ':')
            *c = '.';
    kstat_pmc_thread_make_unique(name);
    kstat_pmc_thread_add(name, "", set->event[e].count);
    if (set->event[e].clock)
        return;
    if (set->first)
        kstat_pmc_thread_add(name, "_children", set->event[e].ended);
    kstat_pmc_thread_add(name, "_enabled", set->enabled_ns);
    kstat_pmc_thread_add(name, "_running", set->event[e].ran_ns);
}

static int kstat_pmc_thread_update(kstat_t *ksp, int how)
{
    int error;

    if (how == KSTAT_WRITE)
        return EACCES;
    error = pmc_thread_read(&((const struct shown *)ksp->ks_private)->thread, &values);
    if (error != 0)
        return error;
    reading.time = (hrtime_t)clock_now();
    reading.count = 0;
    for (unsigned n = 0; n < PMC_COUNTERS_MAX; n++)
        if (values.counter[n].configured && !(values.set.counters >> n & 1))
            kstat_pmc_thread_add_counter(&values.counter[n]);
    for (unsigned e = 0; e < values.set.count; e++)
        kstat_pmc_thread_add_event(&values.set, e);
    ksp->ks_ndata = reading.count;
    ksp->ks_data_size = reading.count * sizeof(kstat_named_t);
    return 0;
}

static int kstat_pmc_thread_snapshot(kstat_t *ksp, void *data, int how)
{
    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = reading.time;
    memcpy(data, reading.record, ksp->ks_data_size);
    return 0;
}

/* A reader that has it just now is waited for. */
static void kstat_pmc_thread_hide(struct shown **link)
{
    struct shown *gone = *link;

    *link = gone->next;
    kstat_delete(gone->kstat);
    kmem_free(gone);
}

/* In front of NEXT; NULL: no memory. */
static struct shown *kstat_pmc_thread_show(const struct pmc_thread_entry *entry, struct shown *next)
{
    struct shown *new = kmem_alloc(sizeof *new);

    if (new == NULL)
        return NULL;
    *new = (struct shown){.next = next, .thread = *entry};
    new->kstat = kstat_create("pmc", (int)entry->id, "thread", "pmc", KSTAT_TYPE_NAMED, 0,
                              KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE);
    if (new->kstat == NULL) {
        kmem_free(new);
        return NULL;
    }
    new->kstat->ks_private = new;
    new->kstat->ks_crtime = (hrtime_t)entry->oldest;
    new->kstat->ks_update = kstat_pmc_thread_update;
    new->kstat->ks_snapshot = kstat_pmc_thread_snapshot;
    new->kstat->ks_lock = &lock;
    kstat_install(new->kstat);
    return new;
}

/* OLD's thread is no more, as a later one is next, or has other counters now. */
static bool kstat_pmc_thread_is_over(const struct pmc_thread_entry *old,
                                     const struct pmc_thread_entry *entry)
{
    return old->id < entry->id ||
           (old->id == entry->id && (old->newest < entry->oldest || old->state != entry->state));
}

/* Those in front of ENTRY's place are gone, and so are the counters of one that has others now.
 * Returns the place behind it. */
static struct shown **kstat_pmc_thread_look(struct shown **link,
                                            const struct pmc_thread_entry *entry)
{
    struct shown *new;

    while (*link != NULL && kstat_pmc_thread_is_over(&(*link)->thread, entry))
        kstat_pmc_thread_hide(link);
    if (*link != NULL && (*link)->thread.id == entry->id) {
        (*link)->thread.newest = entry->newest;
        return &(*link)->next;
    }
    new = kstat_pmc_thread_show(entry, *link);
    if (new == NULL)
        return link;
    *link = new;
    return &new->next;
}

void kstat_pmc_thread_refresh(void)
{
    struct pmc_thread_entry *list = NULL;
    struct shown **link = &shown;
    size_t room = 0, count;

    while ((count = pmc_thread_list(list, room)) > room) {
        kmem_free(list);
        room = count + 8;
        list = kmem_alloc(room * sizeof *list);
        if (list == NULL)
            return;
    }
    for (size_t i = 0; i < count; i++)
        link = kstat_pmc_thread_look(link, &list[i]);
    while (*link != NULL)
        kstat_pmc_thread_hide(link);
    kmem_free(list);
}

void kstat_pmc_thread_prepare(void)
{
    mutex_init(&lock, "pmc thread kstats");
}
