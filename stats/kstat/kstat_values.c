/* SPDX-License-Identifier: BSD-2-Clause */
/* Named kstats from a list of names; see kstat_values.h. */
#include "stats/kstat/kstat_values.h"

/* As many as fit; a NUL ends what is shorter. */
static void kstat_values_set_characters(kstat_named_t *record, const char *text)
{
    size_t at = 0;

    for (; at < sizeof record->value.c && text[at] != '\0'; at++)
        record->value.c[at] = text[at];
    for (; at < sizeof record->value.c; at++)
        record->value.c[at] = '\0';
}

int kstat_values_set(kstat_t *ksp, const uint64_t *numbers)
{
    kstat_named_t *record = KSTAT_NAMED_PTR(ksp);

    for (uint_t i = 0; i < ksp->ks_ndata; i++, record++) {
        if (record->data_type == KSTAT_DATA_STRING)
            kstat_named_setstr(record, (const char *)(uintptr_t)numbers[i]);
        else if (record->data_type == KSTAT_DATA_CHAR)
            kstat_values_set_characters(record, (const char *)(uintptr_t)numbers[i]);
        else if (record->data_type == KSTAT_DATA_INT32 || record->data_type == KSTAT_DATA_UINT32)
            record->value.ui32 = (uint32_t)numbers[i];
        else
            record->value.ui64 = numbers[i];
    }
    return 0;
}

kstat_t *kstat_values_create(const char *module, int instance, const char *name,
                             const char *ks_class, const struct kstat_value *values, unsigned count,
                             int (*update)(kstat_t *, int), void *argument, uint64_t since)
{
    kstat_t *ksp =
        kstat_create(module, instance, name, ks_class, KSTAT_TYPE_NAMED, (uint_t)count, 0);

    if (ksp == NULL)
        return NULL;
    for (unsigned i = 0; i < count; i++)
        kstat_named_init(KSTAT_NAMED_PTR(ksp) + i, values[i].name, values[i].type);
    ksp->ks_crtime = (hrtime_t)since;
    ksp->ks_private = argument;
    ksp->ks_update = update;
    kstat_install(ksp);
    return ksp;
}
