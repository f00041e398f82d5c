/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the devices a program shows: devstat_selectdevs. */
#include <devstat.h>

#include "stats/read/devstat_error.h"
#include "stats/port.h"

/* What is being selected, and how much there is room for. */
struct choice {
    struct device_selection *select;
    int count;    /* of devices */
    int selected; /* so far */
    int room;     /* for so many in all */
    bool remove;
};

static bool devstat_select_fits(const struct devstat_match *match, devstat_type_flags type)
{
    devstat_type_flags wanted = match->device_type;

    if ((match->match_fields & DEVSTAT_MATCH_TYPE) != 0 &&
        (type & DEVSTAT_TYPE_MASK) != (wanted & DEVSTAT_TYPE_MASK))
        return false;
    if ((match->match_fields & DEVSTAT_MATCH_IF) != 0 &&
        (type & DEVSTAT_TYPE_IF_MASK) != (wanted & DEVSTAT_TYPE_IF_MASK))
        return false;
    /* A pass-through device is matched only by asking for one. */
    return ((match->match_fields & DEVSTAT_MATCH_PASS) != 0) == ((type & DEVSTAT_TYPE_PASS) != 0);
}

/* Whether NAME is the device's name and unit. */
static bool devstat_select_is_named(const struct device_selection *select, const char *name)
{
    unsigned unit = 0, digits = 0, at = 0;

    while (select->device_name[at] != '\0' && name[at] == select->device_name[at])
        at++;
    if (select->device_name[at] != '\0')
        return false;
    for (; name[at] >= '0' && name[at] <= '9' && digits < 9; at++, digits++)
        unit = unit * 10 + (unsigned)(name[at] - '0');
    return name[at] == '\0' && digits > 0 && unit == (unsigned)select->unit_number;
}

static void devstat_select_choose(struct choice *choice, struct device_selection *select)
{
    if (choice->remove) {
        choice->selected -= select->selected != 0;
        select->selected = 0;
    } else if (select->selected == 0 && choice->selected < choice->room) {
        select->selected = ++choice->selected;
    }
}

/* Fills up with what is not selected, from the head of the list or by bytes. */
static void devstat_select_fill_up(struct choice *choice, bool by_bytes)
{
    while (choice->selected < choice->room && choice->selected < choice->count) {
        struct device_selection *best = NULL;

        for (int at = 0; at < choice->count; at++) {
            struct device_selection *one = &choice->select[at];

            if (one->selected == 0 && (best == NULL || (by_bytes && one->bytes > best->bytes)))
                best = one;
        }
        if (best == NULL)
            return;
        devstat_select_choose(choice, best);
    }
}

/* The devices with what was selected of them before. */
static struct device_selection *devstat_select_carry_over(const struct device_selection *old,
                                                          int old_count,
                                                          const struct devstat *devices,
                                                          int numdevs)
{
    size_t size = ((size_t)numdevs + (numdevs == 0)) * sizeof *old;
    struct device_selection *select = stats_port_alloc(size);

    for (int at = 0; select != NULL && at < numdevs; at++) {
        const struct devstat *ds = &devices[at];

        select[at] = (struct device_selection){.device_number = ds->device_number,
                                               .unit_number = ds->unit_number,
                                               .bytes = ds->bytes_read + ds->bytes_written,
                                               .position = at};
        for (unsigned i = 0; i < DEVSTAT_NAME_LEN; i++)
            select[at].device_name[i] = ds->device_name[i];
        for (int i = 0; i < old_count; i++) {
            if (old[i].device_number == ds->device_number)
                select[at].selected = old[i].selected;
        }
    }
    return select;
}

/* Numbers those selected 1, 2 ... in their order, after some have gone. */
static void devstat_select_renumber(struct choice *choice)
{
    int number = 0;

    for (;;) {
        struct device_selection *next = NULL;

        for (int at = 0; at < choice->count; at++) {
            struct device_selection *one = &choice->select[at];

            if (one->selected > number && (next == NULL || one->selected < next->selected))
                next = one;
        }
        if (next == NULL)
            break;
        next->selected = ++number;
    }
    choice->selected = number;
}

static bool devstat_select_differ(const struct device_selection *a, int a_count,
                                  const struct device_selection *b, int b_count)
{
    if (a == NULL || a_count != b_count)
        return true;
    for (int at = 0; at < a_count; at++) {
        if (a[at].device_number != b[at].device_number || a[at].selected != b[at].selected)
            return true;
    }
    return false;
}

int devstat_selectdevs(struct device_selection **dev_select, int *num_selected, int *num_selections,
                       long *select_generation, long current_generation, struct devstat *devices,
                       int numdevs, struct devstat_match *matches, int num_matches,
                       char **dev_selections, int num_dev_selections,
                       devstat_select_mode select_mode, int maxshowdevs, int perf_select)
{
    int old_count = *dev_select != NULL ? *num_selections : 0;
    struct choice choice = {.select =
                                devstat_select_carry_over(*dev_select, old_count, devices, numdevs),
                            .count = numdevs,
                            .room = maxshowdevs,
                            .remove = select_mode == DS_SELECT_REMOVE};
    int changed;

    if (choice.select == NULL) {
        devstat_complain("devstat_selectdevs: no memory");
        return -1;
    }
    for (int at = 0; select_mode == DS_SELECT_ONLY && at < numdevs; at++)
        choice.select[at].selected = 0;
    devstat_select_renumber(&choice);
    for (int name = 0; name < num_dev_selections; name++) {
        for (int at = 0; at < numdevs; at++) {
            if (devstat_select_is_named(&choice.select[at], dev_selections[name]))
                devstat_select_choose(&choice, &choice.select[at]);
        }
    }
    for (int match = 0; match < num_matches; match++) {
        for (int at = 0; at < numdevs; at++) {
            if (devstat_select_fits(&matches[match], devices[at].device_type))
                devstat_select_choose(&choice, &choice.select[at]);
        }
    }
    if (select_mode == DS_SELECT_ADD)
        devstat_select_fill_up(&choice, perf_select != 0);
    devstat_select_renumber(&choice);
    changed = devstat_select_differ(*dev_select, old_count, choice.select, numdevs);
    devstat_freeselections(*dev_select, old_count);
    *dev_select = choice.select;
    *num_selections = numdevs;
    *num_selected = choice.selected;
    *select_generation = current_generation;
    return changed;
}

void devstat_freeselections(struct device_selection *dev_select, int num_selections)
{
    size_t count = (size_t)num_selections + (num_selections == 0);

    if (dev_select != NULL)
        stats_port_free(dev_select, count * sizeof *dev_select);
}
