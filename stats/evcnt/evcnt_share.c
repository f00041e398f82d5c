/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares by the dozen; nothing of them is ever given back but what could not be used. */
#include "stats/evcnt/evcnt_share.h"

#include "lib/string.h"

#include "stats/evcnt/evcnt_label.h"
#include "stats/port.h"

#define ROW 8u /* with the registry's lock held */

/* "GROUP NAME" of WHOLE in *MADE, of *SIZE bytes; its name alone, nothing made, if GROUP is PLAIN.
 */
static const char *share_name(const struct evcnt *whole, const char *plain, char **made,
                              size_t *size)
{
    *made = NULL;
    *size = whole->ev_grouplen + 1u + whole->ev_namelen + 1u;
    if (strcmp(whole->ev_group, plain) == 0)
        return whole->ev_name;
    if (*size > EVCNT_STRING_MAX)
        return NULL;
    *made = stats_port_alloc(*size);
    if (*made != NULL) {
        memcpy(*made, whole->ev_group, whole->ev_grouplen);
        (*made)[whole->ev_grouplen] = ' ';
        memcpy(*made + whole->ev_grouplen + 1, whole->ev_name, whole->ev_namelen + 1u);
    }
    return *made;
}

bool evcnt_attach_shares(struct evcnt *whole, const struct evcnt_label *groups, unsigned count,
                         const char *plain)
{
    size_t size, bytes = count * sizeof(struct evcnt);
    char *made;
    const struct evcnt_label label = evcnt_label_of(plain, share_name(whole, plain, &made, &size));
    struct evcnt *shares = label.name != NULL ? stats_port_alloc(bytes) : NULL;

    if (shares == NULL) {
        if (made != NULL)
            stats_port_free(made, size);
        return false;
    }
    for (unsigned cpu = 0; cpu < count; cpu += ROW) {
        unsigned row = count - cpu < ROW ? count - cpu : ROW;

        evcnt_attach_row(&shares[cpu], whole, cpu, row, &groups[cpu], label);
    }
    return true;
}
