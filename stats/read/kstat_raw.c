/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of raw kstats: see kstat_raw.h. */
#include "stats/read/kstat_raw.h"

#include <stddef.h>
#include <sys/kstat_unix.h>

#include "lib/string.h"

#define FIELDS 6

struct raw_kind {
    const char *module, *name;
    unsigned width; /* bytes of a field */
    const char *fields[FIELDS];
};

static const struct raw_kind kinds[] = {
    {"unix",
     "sysinfo",
     sizeof(uint32_t),
     {"updates", "runque", "runocc", "swpque", "swpocc", "waiting"}},
    {"unix",
     "vminfo",
     sizeof(uint64_t),
     {"freemem", "swap_resv", "swap_alloc", "swap_avail", "swap_free", "updates"}},
};
_Static_assert(sizeof(sysinfo_t) == FIELDS * sizeof(uint32_t), "");
_Static_assert(sizeof(vminfo_t) == FIELDS * sizeof(uint64_t), "");

static const struct raw_kind *kstat_raw_kind_of(const kstat_t *ksp)
{
    for (size_t at = 0; at < sizeof kinds / sizeof kinds[0]; at++) {
        if (ksp->ks_type == KSTAT_TYPE_RAW && strcmp(ksp->ks_module, kinds[at].module) == 0 &&
            strcmp(ksp->ks_name, kinds[at].name) == 0)
            return &kinds[at];
    }
    return NULL;
}

bool kstat_raw_is_known(const kstat_t *ksp)
{
    return kstat_raw_kind_of(ksp) != NULL;
}

unsigned kstat_raw_fields(const kstat_t *ksp)
{
    const struct raw_kind *kind = kstat_raw_kind_of(ksp);

    return kind != NULL && ksp->ks_data_size == kind->width * FIELDS ? FIELDS : 0;
}

const char *kstat_raw_field(const kstat_t *ksp, unsigned index, uint64_t *value)
{
    const struct raw_kind *kind = kstat_raw_kind_of(ksp);
    const char *at = (const char *)ksp->ks_data + (size_t)index * kind->width;
    uint32_t half;

    if (kind->width == sizeof half) {
        memcpy(&half, at, sizeof half);
        *value = half;
    } else {
        memcpy(value, at, sizeof *value);
    }
    return kind->fields[index];
}
