/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a kstat one by one, whatever its type: see kstat_text.h. */
#include "stats/read/kstat_text.h"

#include "lib/string.h"
#include "stats/read/kstat_raw.h"

#define PSEUDO 3 /* class, crtime, snaptime */

static void kstat_statistic_set_name(struct kstat_statistic *out, const char *name, size_t limit)
{
    size_t length = strnlen(name, limit);

    memcpy(out->name, name, length);
    out->name[length] = '\0';
}

static void kstat_statistic_set_text(struct kstat_statistic *out, const char *text, size_t length)
{
    out->kind = KSTAT_VALUE_TEXT;
    out->value.text.at = text;
    out->value.text.length = length;
}

static void kstat_statistic_set_unsigned(struct kstat_statistic *out, uint64_t value)
{
    out->kind = KSTAT_VALUE_UNSIGNED;
    out->value.u = value;
}

static void kstat_statistic_set_signed(struct kstat_statistic *out, int64_t value)
{
    out->kind = KSTAT_VALUE_SIGNED;
    out->value.i = value;
}

static void kstat_statistic_get_named(const kstat_named_t *record, struct kstat_statistic *out)
{
    kstat_statistic_set_name(out, record->name, KSTAT_STRLEN);
    switch (record->data_type) {
    case KSTAT_DATA_CHAR:
        kstat_statistic_set_text(out, record->value.c,
                                 strnlen(record->value.c, sizeof record->value.c));
        break;
    case KSTAT_DATA_INT32:
        kstat_statistic_set_signed(out, record->value.i32);
        break;
    case KSTAT_DATA_UINT32:
        kstat_statistic_set_unsigned(out, record->value.ui32);
        break;
    case KSTAT_DATA_INT64:
        kstat_statistic_set_signed(out, record->value.i64);
        break;
    case KSTAT_DATA_UINT64:
        kstat_statistic_set_unsigned(out, record->value.ui64);
        break;
    case KSTAT_DATA_STRING:
        if (record->value.str.len > 0)
            kstat_statistic_set_text(out, record->value.str.addr.ptr,
                                     strnlen(record->value.str.addr.ptr, record->value.str.len));
        else
            kstat_statistic_set_text(out, "", 0);
        break;
    default:
        kstat_statistic_set_text(out, "", 0);
    }
}

static void kstat_statistic_get_interrupt(const kstat_intr_t *intr, unsigned index,
                                          struct kstat_statistic *out)
{
    static const char *const names[KSTAT_NUM_INTRS] = {"hard", "soft", "watchdog", "spurious",
                                                       "multiple_service"};

    kstat_statistic_set_name(out, names[index], KSTAT_STATISTIC_NAME - 1);
    kstat_statistic_set_unsigned(out, intr->intrs[index]);
}

#define IO_FIELDS 12

static void kstat_statistic_get_io(const kstat_io_t *io, unsigned index,
                                   struct kstat_statistic *out)
{
    static const char *const names[IO_FIELDS] = {"nread",    "nwritten",    "reads",       "writes",
                                                 "wtime",    "wlentime",    "wlastupdate", "rtime",
                                                 "rlentime", "rlastupdate", "wcnt",        "rcnt"};
    const uint64_t values[IO_FIELDS] = {
        io->nread,
        io->nwritten,
        io->reads,
        io->writes,
        (uint64_t)io->wtime,
        (uint64_t)io->wlentime,
        (uint64_t)io->wlastupdate,
        (uint64_t)io->rtime,
        (uint64_t)io->rlentime,
        (uint64_t)io->rlastupdate,
        io->wcnt,
        io->rcnt,
    };

    kstat_statistic_set_name(out, names[index], KSTAT_STATISTIC_NAME - 1);
    kstat_statistic_set_unsigned(out, values[index]);
}

#define TIMER_FIELDS 7

/* One timer's statistics have names of their own; of several, the event's name leads. */
static void kstat_statistic_get_timer(const kstat_t *ksp, unsigned index,
                                      struct kstat_statistic *out)
{
    static const char *const names[TIMER_FIELDS] = {
        "name", "num_events", "elapsed_time", "min_time", "max_time", "start_time", "stop_time"};
    const kstat_timer_t *timer = KSTAT_TIMER_PTR(ksp) + index / TIMER_FIELDS;
    const char *name = names[index % TIMER_FIELDS];
    const uint64_t values[TIMER_FIELDS] = {
        0,
        timer->num_events,
        (uint64_t)timer->elapsed_time,
        (uint64_t)timer->min_time,
        (uint64_t)timer->max_time,
        (uint64_t)timer->start_time,
        (uint64_t)timer->stop_time,
    };
    size_t at = 0;

    if (ksp->ks_ndata > 1) {
        at = strnlen(timer->name, KSTAT_STRLEN - 1);
        memcpy(out->name, timer->name, at);
        out->name[at++] = '_';
    }
    memcpy(out->name + at, name, strlen(name) + 1);
    kstat_statistic_set_unsigned(out, values[index % TIMER_FIELDS]);
    if (index % TIMER_FIELDS == 0)
        kstat_statistic_set_text(out, timer->name, strnlen(timer->name, KSTAT_STRLEN));
}

static void kstat_statistic_get_raw(const kstat_t *ksp, unsigned index, struct kstat_statistic *out)
{
    uint64_t value;

    kstat_statistic_set_name(out, kstat_raw_field(ksp, index, &value), KSTAT_STATISTIC_NAME - 1);
    kstat_statistic_set_unsigned(out, value);
}

static void kstat_statistic_get_pseudo(const kstat_t *ksp, unsigned index,
                                       struct kstat_statistic *out)
{
    if (index == 0) {
        kstat_statistic_set_name(out, "class", KSTAT_STATISTIC_NAME - 1);
        kstat_statistic_set_text(out, ksp->ks_class, strnlen(ksp->ks_class, KSTAT_STRLEN));
        return;
    }
    kstat_statistic_set_name(out, index == 1 ? "crtime" : "snaptime", KSTAT_STATISTIC_NAME - 1);
    out->kind = KSTAT_VALUE_TIME;
    out->value.u = (uint64_t)(index == 1 ? ksp->ks_crtime : ksp->ks_snaptime);
}

static unsigned kstat_statistic_real_statistics(const kstat_t *ksp)
{
    if (ksp->ks_data == NULL)
        return 0;
    switch (ksp->ks_type) {
    case KSTAT_TYPE_NAMED:
        return ksp->ks_ndata;
    case KSTAT_TYPE_INTR:
        return KSTAT_NUM_INTRS;
    case KSTAT_TYPE_IO:
        return IO_FIELDS;
    case KSTAT_TYPE_TIMER:
        return ksp->ks_ndata * TIMER_FIELDS;
    case KSTAT_TYPE_RAW:
        return kstat_raw_fields(ksp);
    default:
        return 0;
    }
}

bool kstat_statistic_get(const kstat_t *ksp, unsigned index, struct kstat_statistic *out)
{
    unsigned real = kstat_statistic_real_statistics(ksp);

    if (index >= real) {
        if (index - real >= PSEUDO)
            return false;
        kstat_statistic_get_pseudo(ksp, index - real, out);
        return true;
    }
    switch (ksp->ks_type) {
    case KSTAT_TYPE_NAMED:
        kstat_statistic_get_named(KSTAT_NAMED_PTR(ksp) + index, out);
        break;
    case KSTAT_TYPE_INTR:
        kstat_statistic_get_interrupt(ksp->ks_data, index, out);
        break;
    case KSTAT_TYPE_IO:
        kstat_statistic_get_io(ksp->ks_data, index, out);
        break;
    case KSTAT_TYPE_RAW:
        kstat_statistic_get_raw(ksp, index, out);
        break;
    default:
        kstat_statistic_get_timer(ksp, index, out);
    }
    return true;
}
