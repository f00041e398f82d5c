/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of vmstat -i and -e: see vmstat.h. */
#include "stats/read/vmstat.h"

#include <sys/evcnt.h>

#include "lib/string.h"
#include "lib/text_row.h"
#include "stats/evcnt/evcnt_export.h"
#include "stats/read/evcnt_tree.h"
#include "stats/port.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define TOTAL_WIDTH   5u /* at least, as the headings "total" ... */
#define RATE_WIDTH    4u /* ... and "rate" */
#define INDENT        2u /* blanks a generation */

/* One table being printed: where to, and how wide. */
struct page {
    struct text_row row;
    const struct vmstat_layout *layout;
    uint64_t seconds; /* what rates divide by: at least 1 */
    size_t name_width;
    size_t total_width;
    size_t rate_width;
};

static size_t vmstat_digits_of(uint64_t value)
{
    size_t digits = 1;

    while (value >= 10) {
        value /= 10;
        digits++;
    }
    return digits;
}

static void vmstat_widen(size_t *width, size_t needed)
{
    if (*width < needed)
        *width = needed;
}

static void vmstat_widen_for_count(struct page *page, uint64_t count)
{
    vmstat_widen(&page->total_width, vmstat_digits_of(count));
    vmstat_widen(&page->rate_width, vmstat_digits_of(count / page->seconds));
}

static const char *vmstat_heading_of(const struct page *page)
{
    return page->layout->table == VMSTAT_EVENTS ? "event" : "interrupt";
}

static const char *vmstat_type_word(unsigned type)
{
    static const char *const words[] = {"misc", "intr", "trap"};

    return type < sizeof words / sizeof words[0] ? words[type] : "?";
}

static void vmstat_end_row(struct page *page)
{
    text_row_end(&page->row, page->row.put, page->row.arg);
}

static void vmstat_put_heading(struct page *page)
{
    struct text_row *row = &page->row;

    text_row_left(row, vmstat_heading_of(page), page->name_width + 2, SIZE_MAX);
    text_row_right(row, "total", page->total_width, SIZE_MAX);
    text_row_blanks(row, 1);
    text_row_right(row, "rate", page->rate_width, SIZE_MAX);
    text_row_text(row, page->layout->table == VMSTAT_EVENTS ? " type" : "");
    vmstat_end_row(page);
}

static void vmstat_put_counts(struct page *page, size_t name_length, uint64_t count)
{
    struct text_row *row = &page->row;

    text_row_blanks(row, page->name_width - name_length + 2);
    text_row_number(row, count, page->total_width);
    text_row_blanks(row, 1);
    text_row_number(row, count / page->seconds, page->rate_width);
}

static size_t vmstat_name_length(const struct evcnt_sysctl *record, unsigned depth)
{
    return (size_t)depth * INDENT + record->ev_grouplen + 1u + record->ev_namelen;
}

static void vmstat_put_row(struct page *page, const struct evcnt_sysctl *record, unsigned depth)
{
    struct text_row *row = &page->row;

    text_row_blanks(row, (size_t)depth * INDENT);
    text_row_part(row, evcnt_export_group(record), record->ev_grouplen);
    text_row_blanks(row, 1);
    text_row_part(row, evcnt_export_name(record), record->ev_namelen);
    vmstat_put_counts(page, vmstat_name_length(record, depth), record->ev_count);
    if (page->layout->table == VMSTAT_EVENTS) {
        text_row_blanks(row, 1);
        text_row_text(row, vmstat_type_word(record->ev_type));
    }
    vmstat_end_row(page);
}

/* The place after AT (EVCNT_TREE_NONE: the first) in the order of printing. */
static uint32_t vmstat_next_row(const struct page *page, const struct evcnt_tree *tree, uint32_t at,
                                unsigned *depth)
{
    if (page->layout->tree)
        return at == EVCNT_TREE_NONE ? tree->first_root : evcnt_tree_next(tree, at, depth);
    at = at == EVCNT_TREE_NONE ? 0 : at + 1;
    return at < tree->count ? at : EVCNT_TREE_NONE;
}

/* Sets the widths; returns the total of the rows whose parent is not listed. */
static uint64_t vmstat_measure(struct page *page, const struct evcnt_tree *tree)
{
    uint64_t total = 0;
    unsigned depth = 0;
    uint32_t at = EVCNT_TREE_NONE;

    page->total_width = TOTAL_WIDTH;
    page->rate_width = RATE_WIDTH;
    page->name_width = strlen(vmstat_heading_of(page));
    while ((at = vmstat_next_row(page, tree, at, &depth)) != EVCNT_TREE_NONE) {
        const struct evcnt_node *node = &tree->node[at];

        vmstat_widen(&page->name_width, vmstat_name_length(node->record, depth));
        vmstat_widen_for_count(page, node->record->ev_count);
        if (node->parent == EVCNT_TREE_NONE)
            total += node->record->ev_count;
    }
    if (page->layout->table == VMSTAT_INTERRUPTS)
        vmstat_widen_for_count(page, total);
    return total;
}

int vmstat_print_report(const struct vmstat_layout *layout, const void *report, size_t size,
                        uint64_t uptime_seconds, vmstat_put *put, void *arg)
{
    struct page page = {.row = {.put = put, .arg = arg},
                        .layout = layout,
                        .seconds = uptime_seconds ? uptime_seconds : 1};
    struct evcnt_tree tree;
    uint32_t at = EVCNT_TREE_NONE;
    unsigned depth = 0;
    uint64_t total;
    int error = evcnt_tree_build(&tree, report, size);

    if (error != 0)
        return error;
    total = vmstat_measure(&page, &tree);
    vmstat_put_heading(&page);
    while ((at = vmstat_next_row(&page, &tree, at, &depth)) != EVCNT_TREE_NONE)
        vmstat_put_row(&page, tree.node[at].record, depth);
    if (layout->table == VMSTAT_INTERRUPTS) {
        text_row_text(&page.row, "Total");
        vmstat_put_counts(&page, sizeof "Total" - 1, total);
        vmstat_end_row(&page);
    }
    vmstat_end_row(&page);
    evcnt_tree_free(&tree);
    return 0;
}

int vmstat_print(const struct vmstat_layout *layout, vmstat_put *put, void *arg)
{
    int type = layout->table == VMSTAT_INTERRUPTS ? EVCNT_TYPE_INTR : EVCNT_TYPE_ANY;
    int count = layout->verbose ? KERN_EVCNT_COUNT_ANY : KERN_EVCNT_COUNT_NONZERO;
    void *report;
    size_t size;
    size_t capacity;
    int error = evcnt_export_alloc(type, count, &report, &size, &capacity);

    if (error != 0)
        return error;
    error =
        vmstat_print_report(layout, report, size, stats_port_time_ns() / NS_PER_SECOND, put, arg);
    evcnt_export_free(report, capacity);
    return error;
}
