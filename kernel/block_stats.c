/* SPDX-License-Identifier: BSD-2-Clause */
/* The one recording of each request. */
#include "kernel/block_stats.h"
#include "kernel/block.h"

int block_stats_attach(struct block_device *device, const struct block_type *type)
{
    struct block_stats *stats = &device->stats;

    (void)type;
    evcnt_attach_dynamic(&stats->errors, EVCNT_TYPE_MISC, NULL, device->name, "errors");
    evcnt_attach_dynamic(&stats->timeouts, EVCNT_TYPE_MISC, NULL, device->name, "timeouts");
    evcnt_attach_dynamic(&stats->retries, EVCNT_TYPE_MISC, NULL, device->name, "retries");
    evcnt_attach_dynamic(&stats->resets, EVCNT_TYPE_MISC, NULL, device->name, "resets");
    return 0;
}

void block_stats_wait(struct block_request *request)
{
    (void)request;
}

void block_stats_start(struct block_request *request)
{
    (void)request;
}

void block_stats_end(struct block_request *request)
{
    struct block_stats *stats = &request->device->stats;

    histogram_add(&stats->service, request->ended - request->started);
    if (request->error != 0)
        evcnt_incr(&stats->errors);
}

void block_stats_abandon(struct block_request *request)
{
    evcnt_incr(&request->device->stats.errors);
}
