/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat(8) as a program: the words and reports are the shell's (stats/read/kstat_request.h). */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stats/port.h"
#include "stats/read/kstat_request.h"

static void put_output(void *arg, const char *text, size_t length)
{
    (void)arg;
    fwrite(text, 1, length, stdout);
}

static void put_error(void *arg, const char *text, size_t length)
{
    (void)arg;
    fwrite(text, 1, length, stderr);
}

/* What has been printed is shown before a long silence. */
static bool sleep_until(uint64_t deadline)
{
    uint64_t now;

    fflush(stdout);
    while ((now = stats_port_time_ns()) < deadline) {
        if (stats_port_sleep(deadline - now) != 0)
            return false;
    }
    return true;
}

static const struct kstat_request_host host = {
    .put = put_output, .complain = put_error, .sleep_until = sleep_until};

static int read_words(struct kstat_request *request, int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+" KSTAT_REQUEST_OPTIONS)) != -1) {
        if (option == '?') {
            fputs("usage: " KSTAT_REQUEST_USAGE "\n", stderr);
            return KSTAT_STATUS_USAGE;
        }
        if (kstat_request_option(request, option, optarg) != 0)
            return KSTAT_STATUS_USAGE;
    }
    return kstat_request_operands(request, argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
    struct kstat_request request;
    int status;

    if (kstat_request_begin(&request, &host, (size_t)argc) != 0) {
        fputs("kstat: no memory\n", stderr);
        return KSTAT_STATUS_FATAL;
    }
    status = read_words(&request, argc, argv);
    if (status == 0)
        status = kstat_request_run(&request);
    kstat_request_end(&request);
    if (fflush(stdout) != 0 && status == 0) {
        perror("kstat");
        return KSTAT_STATUS_FATAL;
    }
    return status == KSTAT_STATUS_INTERRUPTED ? 130 : status;
}
