/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings of perf_event_open(2): a page that says where its records begin and end, and the records'
 * pages, which a program has mapped. Written under perf_sampling_lock, in any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/vm/vm_object.h"

#define PERF_RING_PAGES      16384u /* the most, of records */
#define PERF_RING_PAGES_USER 128u   /* of who is not root */

struct perf_count;
struct perf_ring;

/* With so many pages of records, none or a power of two; OVERWRITE: old records give way to new
 * ones. Held once; NULL: no memory. Thread context. */
struct perf_ring *perf_ring_create(unsigned pages, bool overwrite);
struct perf_ring *perf_ring_hold(struct perf_ring *ring); /* returns RING */
void perf_ring_release(struct perf_ring *ring);           /* NULL is ignored; thread context */
/* What a mapping shows, held once more. */
struct vm_object *perf_ring_object(struct perf_ring *ring);
/* Whether somebody has it mapped. */
bool perf_ring_is_mapped(const struct perf_ring *ring);
unsigned perf_ring_pages(const struct perf_ring *ring); /* of records */
/* After so many bytes somebody is woken; 0: half of it. */
void perf_ring_set_watermark(struct perf_ring *ring, uint64_t bytes);

/* --- under perf_sampling_lock --- */
void perf_ring_pause(struct perf_ring *ring, bool pause);
/* A record of SIZE bytes: false, there is no room (or it is paused). */
bool perf_ring_put(struct perf_ring *ring, const void *record, unsigned size);
/* Whether so many bytes have come since this last was true that somebody is to be woken. */
bool perf_ring_is_due(struct perf_ring *ring);
/* Count and times of its event, for who reads the page instead of the event. */
void perf_ring_tell(struct perf_ring *ring, const struct perf_count *count);
