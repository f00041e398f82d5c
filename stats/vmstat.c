/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of vmstat -i and -e: see vmstat.h. */
#include "stats/vmstat.h"

#include <sys/evcnt.h>

#include "stats/evcnt_export.h"
#include "stats/evcnt_tree.h"
#include "stats/port.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define TOTAL_WIDTH   5u /* at least, as the headings "total" ... */
#define RATE_WIDTH    4u /* ... and "rate" */
#define INDENT        2u /* blanks a generation */
#define DIGITS_MAX    20u

/* One table being printed: where to, and how wide. */
struct page {
    vmstat_put *put;
    void *arg;
    const struct vmstat_layout *layout;
    uint64_t seconds; /* what rates divide by: at least 1 */
    size_t name_width;
    size_t total_width;
    size_t rate_width;
};

static size_t length_of(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    return length;
}

static void put_text(const struct page *page, const char *text)
{
    page->put(page->arg, text, length_of(text));
}

static void put_blanks(const struct page *page, size_t count)
{
    static const char blanks[] = "                ";

    while (count > 0) {
        size_t piece = count < sizeof blanks - 1 ? count : sizeof blanks - 1;

        page->put(page->arg, blanks, piece);
        count -= piece;
    }
}

/* Pads what is LENGTH characters wide up to WIDTH. */
static void put_padding(const struct page *page, size_t length, size_t width)
{
    if (length < width)
        put_blanks(page, width - length);
}

static size_t digits_of(uint64_t value)
{
    size_t digits = 1;

    while (value >= 10) {
        value /= 10;
        digits++;
    }
    return digits;
}

static void put_number(const struct page *page, uint64_t value, size_t width)
{
    char text[DIGITS_MAX];
    size_t at = sizeof text;

    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    put_padding(page, sizeof text - at, width);
    page->put(page->arg, text + at, sizeof text - at);
}

static void widen(size_t *width, size_t needed)
{
    if (*width < needed)
        *width = needed;
}

static void widen_for_count(struct page *page, uint64_t count)
{
    widen(&page->total_width, digits_of(count));
    widen(&page->rate_width, digits_of(count / page->seconds));
}

static const char *heading_of(const struct page *page)
{
    return page->layout->table == VMSTAT_EVENTS ? "event" : "interrupt";
}

static const char *type_word(unsigned type)
{
    static const char *const words[] = {"misc", "intr", "trap"};

    return type < sizeof words / sizeof words[0] ? words[type] : "?";
}

static void put_right(const struct page *page, const char *text, size_t width)
{
    put_padding(page, length_of(text), width);
    put_text(page, text);
}

static void put_heading(const struct page *page)
{
    const char *heading = heading_of(page);

    put_text(page, heading);
    put_padding(page, length_of(heading), page->name_width);
    put_blanks(page, 2);
    put_right(page, "total", page->total_width);
    put_blanks(page, 1);
    put_right(page, "rate", page->rate_width);
    put_text(page, page->layout->table == VMSTAT_EVENTS ? " type\n" : "\n");
}

static void put_counts(const struct page *page, size_t name_length, uint64_t count)
{
    put_padding(page, name_length, page->name_width);
    put_blanks(page, 2);
    put_number(page, count, page->total_width);
    put_blanks(page, 1);
    put_number(page, count / page->seconds, page->rate_width);
}

static size_t name_length(const struct evcnt_sysctl *record, unsigned depth)
{
    return (size_t)depth * INDENT + record->ev_grouplen + 1u + record->ev_namelen;
}

static void put_row(const struct page *page, const struct evcnt_sysctl *record, unsigned depth)
{
    put_blanks(page, (size_t)depth * INDENT);
    page->put(page->arg, evcnt_export_group(record), record->ev_grouplen);
    put_blanks(page, 1);
    page->put(page->arg, evcnt_export_name(record), record->ev_namelen);
    put_counts(page, name_length(record, depth), record->ev_count);
    if (page->layout->table == VMSTAT_EVENTS) {
        put_blanks(page, 1);
        put_text(page, type_word(record->ev_type));
    }
    put_text(page, "\n");
}

/* The place after AT (EVCNT_TREE_NONE: the first) in the order of printing. */
static uint32_t next_row(const struct page *page, const struct evcnt_tree *tree, uint32_t at,
                         unsigned *depth)
{
    if (page->layout->tree)
        return at == EVCNT_TREE_NONE ? tree->first_root : evcnt_tree_next(tree, at, depth);
    at = at == EVCNT_TREE_NONE ? 0 : at + 1;
    return at < tree->count ? at : EVCNT_TREE_NONE;
}

/* Sets the widths; returns the total of the rows whose parent is not listed. */
static uint64_t measure(struct page *page, const struct evcnt_tree *tree)
{
    uint64_t total = 0;
    unsigned depth = 0;
    uint32_t at = EVCNT_TREE_NONE;

    page->total_width = TOTAL_WIDTH;
    page->rate_width = RATE_WIDTH;
    page->name_width = length_of(heading_of(page));
    while ((at = next_row(page, tree, at, &depth)) != EVCNT_TREE_NONE) {
        const struct evcnt_node *node = &tree->node[at];

        widen(&page->name_width, name_length(node->record, depth));
        widen_for_count(page, node->record->ev_count);
        if (node->parent == EVCNT_TREE_NONE)
            total += node->record->ev_count;
    }
    if (page->layout->table == VMSTAT_INTERRUPTS)
        widen_for_count(page, total);
    return total;
}

int vmstat_print_report(const struct vmstat_layout *layout, const void *report, size_t size,
                        uint64_t uptime_seconds, vmstat_put *put, void *arg)
{
    struct page page = {
        .put = put, .arg = arg, .layout = layout, .seconds = uptime_seconds ? uptime_seconds : 1};
    struct evcnt_tree tree;
    uint32_t at = EVCNT_TREE_NONE;
    unsigned depth = 0;
    uint64_t total;
    int error = evcnt_tree_build(&tree, report, size);

    if (error != 0)
        return error;
    total = measure(&page, &tree);
    put_heading(&page);
    while ((at = next_row(&page, &tree, at, &depth)) != EVCNT_TREE_NONE)
        put_row(&page, tree.node[at].record, depth);
    if (layout->table == VMSTAT_INTERRUPTS) {
        put_text(&page, "Total");
        put_counts(&page, length_of("Total"), total);
        put_text(&page, "\n");
    }
    put_text(&page, "\n");
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
