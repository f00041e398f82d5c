/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's RAM as the plugin sees it, and the slots in it. */
#ifndef QPMU_PLUGIN_PAGE_H
#define QPMU_PLUGIN_PAGE_H

#include "tools/qpmu/include/qpmu.h"

#include <stdbool.h>
#include <stddef.h>

/* name: a piece of the RAM's name in /proc/self/maps; base: where the region of all RAM lies, which
 * old QEMUs add to a place in it; big: the guest's byte order. */
void page_arguments(const char *name, uint64_t base, bool big);
/* Finds the RAM. False if there is none that can be shared; then nothing is ever counted. */
bool page_open(void);
/* An address as emu_access_ram tells it -> place in RAM; false if it is elsewhere. */
bool page_place(uint64_t physical, uint64_t *place);
/* Makes sure of what page_place says of PHYSICAL, which a CPU has just accessed at ADDRESS; false:
 * it cannot be found out. */
bool page_prove(uint64_t physical, uint64_t address);
/* The same for an address in QEMU's own memory. */
bool page_host_place(const void *host, uint64_t *place);
/* The slot at a place in RAM, NULL if one cannot lie there. */
struct qpmu_slot *page_slot(uint64_t place);
/* Tells the user, once, that a guest wants its slot where none can lie. */
void page_complain(uint64_t physical);
/* Room for COUNT records of STRIDE bytes, and WORDS of 8 bytes behind them, at a place in RAM; NULL
 * if it cannot lie there, or COUNT is no power of two. */
struct qpmu_record *page_records(uint64_t place, uint32_t count, uint32_t stride, uint32_t words);
/* What a guest tells of a stack, at a place in RAM; NULL if it cannot lie there. */
const struct qpmu_stack *page_stack(uint64_t place);
/* A guest's bytes at a place, as a number; size is 1, 2, 4 or 8. */
uint64_t page_load(uint64_t place, unsigned size);
/* The guest's number of 4 or 8 bytes there, in its byte order; of 4 sign-extended on MIPS. */
uint64_t page_number(uint64_t place, unsigned size);

/* The slot's fields, which the guest may change at any moment: each is read and written whole. */
uint32_t page_get32(const uint32_t *field);
uint64_t page_get64(const uint64_t *field);
void page_set16(uint16_t *field, uint16_t value);
void page_set32(uint32_t *field, uint32_t value);
void page_set64(uint64_t *field, uint64_t value);

#endif
