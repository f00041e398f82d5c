/* SPDX-License-Identifier: BSD-2-Clause */
/* The command kstat: see kstat_request.h. Its words are those of illumos' kstat(8). */
#include "stats/read/kstat_request.h"

#include "lib/errno.h"
#include "lib/number.h"
#include "lib/string.h"
#include "stats/port.h"
#include "stats/read/kstat_text.h"
#include "stats/read/time_stamp.h"

/* Behind the patterns of operands. */
#define PATTERNS_MORE 2
#define SECOND        1000000000u

int kstat_request_begin(struct kstat_request *request, const struct kstat_request_host *host,
                        size_t operands)
{
    size_t count = operands + PATTERNS_MORE;

    memset(request, 0, sizeof *request);
    request->host = host;
    request->pattern = stats_port_alloc(count * sizeof(request->pattern[0]));
    if (request->pattern == NULL)
        return -ENOMEM;
    memset(request->pattern, 0, count * sizeof(request->pattern[0]));
    request->patterns = operands;
    request->report.put = host->put;
    request->report.arg = host->arg;
    request->report.interrupted = host->interrupted;
    return 0;
}

void kstat_request_end(struct kstat_request *request)
{
    size_t count = request->patterns + PATTERNS_MORE;

    for (size_t i = 0; i < count; i++)
        kstat_pattern_free(&request->pattern[i]);
    stats_port_free(request->pattern, count * sizeof(request->pattern[0]));
}

static struct kstat_pattern *kstat_request_parts_of(const struct kstat_request *request)
{
    return request->pattern + request->patterns;
}

static struct kstat_pattern *kstat_request_class_of(const struct kstat_request *request)
{
    return kstat_request_parts_of(request) + 1;
}

static int kstat_request_say(const struct kstat_request *request, const char *const *words)
{
    struct text_row row = {.put = request->host->complain, .arg = request->host->arg};

    while (*words != NULL)
        text_row_text(&row, *words++);
    text_row_end(&row, row.put, row.arg);
    return KSTAT_STATUS_USAGE;
}

static int kstat_request_say_usage(const struct kstat_request *request)
{
    return kstat_request_say(request, (const char *const[]){"usage: ", KSTAT_REQUEST_USAGE, NULL});
}

static int kstat_request_say_bad(const struct kstat_request *request, const char *what,
                                 const char *text, const char *why)
{
    return kstat_request_say(
        request, (const char *const[]){"kstat: ", what, " \"", text, "\": ", why, NULL});
}

static int kstat_request_say_bad_number(const struct kstat_request *request, const char *what,
                                        const char *text)
{
    kstat_request_say(request, (const char *const[]){"kstat: bad ", what, " \"", text, "\"", NULL});
    return kstat_request_say_usage(request);
}

static int kstat_request_set_part(const struct kstat_request *request,
                                  struct kstat_pattern *pattern, enum kstat_pattern_part part,
                                  int letter, const char *text)
{
    const char *why = "not a pattern";

    if (pattern->part[part].regex != NULL || pattern->part[part].glob != NULL)
        return kstat_request_say_bad(request, "option given twice",
                                     (const char[]){'-', (char)letter, '\0'}, "one is enough");
    if (kstat_pattern_parse_part(pattern, part, text, &why) != 0)
        return kstat_request_say_bad(request, "bad pattern", text, why);
    return 0;
}

static int kstat_request_set_stamp(struct kstat_request *request, const char *value)
{
    if ((value[0] != 'd' && value[0] != 'u') || value[1] != '\0')
        return kstat_request_say_bad(request, "bad form of time", value, "it is d or u");
    request->stamp = value[0];
    return 0;
}

/* One of -m -i -n -s. */
static int kstat_request_set_name(struct kstat_request *request, int option, const char *value)
{
    static const char letters[] = "mins"; /* in the order of enum kstat_pattern_part */
    const char *at = option != '\0' ? strchr(letters, option) : NULL;

    if (at == NULL)
        return KSTAT_STATUS_USAGE;
    request->by_options = true;
    return kstat_request_set_part(request, kstat_request_parts_of(request),
                                  (enum kstat_pattern_part)(at - letters), option, value);
}

int kstat_request_option(struct kstat_request *request, int option, const char *value)
{
    switch (option) {
    case 'C':
        request->colons = request->lines = true;
        return 0;
    case 'V':
        request->values = request->lines = true;
        return 0;
    case 'l':
        request->names = request->lines = true;
        return 0;
    case 'p':
        request->lines = true;
        return 0;
    case 'j':
        request->json = true;
        return 0;
    case 'q':
        request->quiet = true;
        return 0;
    case 'T':
        return kstat_request_set_stamp(request, value);
    case 'c':
        request->report.class = kstat_request_class_of(request);
        return kstat_request_set_part(request, kstat_request_class_of(request),
                                      KSTAT_PATTERN_STATISTIC, option, value);
    default:
        return kstat_request_set_name(request, option, value);
    }
}

static bool kstat_request_is_number(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((*text < '0' || *text > '9') && *text != '.')
            return false;
    }
    return true;
}

/* The words at the end that are numbers: an interval and a count. */
static int kstat_request_read_interval(struct kstat_request *request, int words, char **word)
{
    request->count = 1;
    if (words == 0)
        return 0;
    request->count = 0;
    if (parse_decimal(word[0], 9, &request->interval) != 0 || request->interval == 0)
        return kstat_request_say_bad_number(request, "interval", word[0]);
    if (words > 1 && (parse_u64(word[1], 10, &request->count) != 0 || request->count == 0))
        return kstat_request_say_bad_number(request, "count", word[1]);
    return 0;
}

static int kstat_request_read_patterns(struct kstat_request *request, int count, char **operands)
{
    for (int i = 0; i < count; i++) {
        const char *why = "not a pattern";

        if (kstat_pattern_parse(&request->pattern[request->operands], operands[i], &why) != 0)
            return kstat_request_say_bad(request, "bad pattern", operands[i], why);
        request->operands++;
    }
    return 0;
}

static void kstat_request_decide_form(struct kstat_request *request)
{
    request->report.pattern =
        request->operands > 0 ? request->pattern : kstat_request_parts_of(request);
    request->report.pattern_count = request->operands > 0 ? request->operands : 1;
    request->report.form = request->quiet   ? KSTAT_FORM_QUIET
                           : request->json  ? KSTAT_FORM_JSON
                           : request->lines ? KSTAT_FORM_LINES
                                            : KSTAT_FORM_BLOCKS;
    request->report.line_flags = (request->names ? KSTAT_LINE_NAMES : 0u) |
                                 (request->colons ? KSTAT_LINE_COLONS : 0u) |
                                 (request->values ? KSTAT_LINE_VALUES : 0u);
}

int kstat_request_operands(struct kstat_request *request, int count, char **operands)
{
    int end = count, status;

    if ((request->quiet && (request->lines || request->json)) ||
        (request->names && request->values))
        return kstat_request_say_usage(request);
    while (end > 0 && end > count - 2 && kstat_request_is_number(operands[end - 1]))
        end--;
    status = kstat_request_read_interval(request, count - end, operands + end);
    if (status != 0)
        return status;
    if (request->by_options && end > 0)
        return kstat_request_say_usage(request);
    status = kstat_request_read_patterns(request, end, operands);
    kstat_request_decide_form(request);
    return status;
}

static int kstat_request_fatal(const struct kstat_request *request, const char *what)
{
    kstat_request_say(request, (const char *const[]){"kstat: ", what, NULL});
    return KSTAT_STATUS_FATAL;
}

static void kstat_request_refresh(const struct kstat_request *request)
{
    if (request->host->refresh != NULL)
        request->host->refresh();
}

static uint64_t kstat_request_after(uint64_t time, uint64_t ns)
{
    uint64_t sum;

    return __builtin_add_overflow(time, ns, &sum) ? UINT64_MAX : sum;
}

static int kstat_request_reports(const struct kstat_request *request, kstat_ctl_t *kc)
{
    const struct kstat_request_host *host = request->host;
    int status = KSTAT_STATUS_NO_MATCH;
    uint64_t next = stats_port_time_ns();

    for (uint64_t report = 1;; report++) {
        int result;

        if (request->stamp != '\0')
            time_stamp_put(request->stamp, stats_port_wall_ns() / SECOND, host->put, host->arg);
        result = kstat_report_print(&request->report, kc);
        if (result == -EINTR)
            return KSTAT_STATUS_INTERRUPTED;
        if (result < 0)
            return kstat_request_fatal(request, "no memory");
        status = result == 0 ? KSTAT_STATUS_MATCH : status;
        if (report == request->count)
            return status;
        next = kstat_request_after(next, request->interval);
        if (!host->sleep_until(next))
            return KSTAT_STATUS_INTERRUPTED;
        kstat_request_refresh(request);
        if (kstat_chain_update(kc) == -1)
            return kstat_request_fatal(request, "the list of statistics cannot be read");
        if (!request->quiet)
            host->put(host->arg, "\n", 1);
    }
}

int kstat_request_run(struct kstat_request *request)
{
    kstat_ctl_t *kc;
    int status;

    kstat_request_refresh(request);
    kc = kstat_open();
    if (kc == NULL)
        return kstat_request_fatal(
            request, kstat_errno == ENOMEM ? "no memory" : "the list of statistics cannot be read");
    status = kstat_request_reports(request, kc);
    kstat_close(kc);
    return status;
}
