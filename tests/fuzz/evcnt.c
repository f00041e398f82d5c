/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing event counters: the input is a sequence of attachments, detachments, lookups, increments
 * and reports, right ones and wrong ones, each compared with a naive model that searches an array.
 */
#include <sys/evcnt.h>

#include "stats/evcnt/evcnt_export.h"

#include <quipu_host.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS 24
#define NONE     COUNTERS

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is known of each counter; `order` holds those attached, oldest first. */
struct model {
    bool attached;
    unsigned parent;
    unsigned name;
    unsigned type;
    uint64_t value;
};

static struct evcnt counters[COUNTERS];
static struct model models[COUNTERS];
static unsigned order[COUNTERS];
static unsigned attached;

static const char *names[] = {"a", "b", "ab", "a name", "another name", "same", "", NULL, NULL};
static char longest[256];
static char too_long[257];
#define NAMES    9u
#define NAME_BAD 6u /* from here on illegal: empty, too long, NULL */

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "model disagrees: %s\n", what);
    abort();
}

struct call {
    unsigned what;
    unsigned counter;
    unsigned parent;
    unsigned name;
    unsigned type;
};

static void perform(void *arg)
{
    const struct call *call = arg;
    struct evcnt *ev = &counters[call->counter];
    const struct evcnt *parent = call->parent == NONE ? NULL : &counters[call->parent];
    const char *name = names[call->name];

    if (call->what == 0)
        evcnt_attach_dynamic(ev, (int)call->type, parent, "group", name);
    else if (call->what == 1)
        evcnt_attach_dynamic_nozero(ev, (int)call->type, parent, "group", name);
    else
        evcnt_detach(ev);
}

static bool has_children(unsigned counter)
{
    for (unsigned i = 0; i < attached; i++) {
        if (models[order[i]].parent == counter)
            return true;
    }
    return false;
}

static void attach(struct call *call)
{
    struct model *model = &models[call->counter];
    bool legal = call->name < NAME_BAD && call->type <= 2 && !model->attached &&
                 (call->parent == NONE || models[call->parent].attached);

    require(host_panics(perform, call) == !legal, "attaching");
    if (!legal)
        return;
    model->attached = true;
    model->parent = call->parent;
    model->name = call->name;
    model->type = call->type;
    if (call->what == 0)
        model->value = 0;
    order[attached++] = call->counter;
}

static void detach(struct call *call)
{
    struct model *model = &models[call->counter];
    bool legal = model->attached && !has_children(call->counter);
    unsigned at = 0;

    require(host_panics(perform, call) == !legal, "detaching");
    if (!legal)
        return;
    model->attached = false;
    while (order[at] != call->counter)
        at++;
    for (attached--; at < attached; at++)
        order[at] = order[at + 1];
}

static void look_up(const struct call *call)
{
    struct evcnt *expected = NULL;

    for (unsigned i = 0; i < attached && expected == NULL; i++) {
        if (models[order[i]].name == call->name)
            expected = &counters[order[i]];
    }
    require(evcnt_lookup("group", names[call->name]) == expected, "lookup");
}

static void report(const struct call *call)
{
    static uint64_t buffer[8192];
    int type = (int)(call->type % 4) - 1;
    int nonzero = (int)(call->parent & 1);
    const struct evcnt_sysctl *record = NULL;
    size_t size = call->counter * 40;
    int error = evcnt_export(type, nonzero, buffer, &size);

    if (error != 0) {
        size = sizeof buffer;
        require(evcnt_export(type, nonzero, buffer, &size) == 0, "report");
        require(size > call->counter * 40, "report that should have fitted");
    }
    for (unsigned i = 0; i < attached; i++) {
        const struct model *model = &models[order[i]];

        if ((type >= 0 && model->type != (unsigned)type) || (nonzero && model->value == 0))
            continue;
        record = evcnt_export_next(buffer, size, record);
        require(record != NULL, "report is short");
        require(record->ev_addr == (uintptr_t)&counters[order[i]], "order of the report");
        require(record->ev_count == model->value, "count in the report");
        require(strcmp(evcnt_export_name(record), names[model->name]) == 0, "name in the report");
    }
    require(evcnt_export_next(buffer, size, record) == NULL, "report is long");
}

static void step(const uint8_t *data)
{
    struct call call = {data[0] % 8, data[1] % COUNTERS, data[2] % (COUNTERS * 2), data[3] % NAMES,
                        data[3] >> 6};

    if (call.parent > NONE)
        call.parent = NONE;
    host_cpu_set(data[2] % HOST_CPUS);
    if (call.what <= 1) {
        attach(&call);
    } else if (call.what == 2) {
        detach(&call);
    } else if (call.what <= 4) {
        evcnt_incr(&counters[call.counter]);
        models[call.counter].value++;
    } else if (call.what == 5) {
        report(&call);
    } else {
        look_up(&call);
    }
    require(evcnt_value(&counters[call.counter]) == models[call.counter].value, "value");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memset(longest, 'x', sizeof longest - 1);
    memset(too_long, 'y', sizeof too_long - 1);
    names[5] = longest;
    names[7] = too_long;
    host_reset();
    memset(counters, 0, sizeof counters);
    memset(models, 0, sizeof models);
    attached = 0;
    for (; size >= 4; data += 4, size -= 4)
        step(data);
    return 0;
}
