/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin's ring of overflows, with a guest's RAM of a few pages: what comes out is what was put
 * in, in order, and what is lost is counted; the ring may be the slot's or lie elsewhere; and
 * whatever the guest writes into its fields, nothing outside of its RAM is touched.
 */
#include "tests/host/test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/ring.h"

#define RAM_BYTES (4u << 20)
#define OWN_PLACE 0x100000u /* of a ring of the guest's own */

static struct ring ring;
static struct qpmu_slot *slot;

/* Whichever test comes first makes the RAM that the plugin finds. */
static void begin(void)
{
    int file = memfd_create("memory-backend-memfd", 0);

    CHECK(file >= 0 && ftruncate(file, RAM_BYTES) == 0);
    CHECK(mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED);
    close(file);
    CHECK(page_open());
    slot = page_slot(0);
    CHECK(slot != NULL);
    memset(slot, 0, sizeof(*slot));
    ring_open(&ring, slot);
    slot->magic = QPMU_MAGIC;
}

static void put(uint64_t first, uint64_t end)
{
    for (uint64_t n = first; n < end; n++) {
        struct qpmu_record record = {.pc = n, .counter = n % 2, .mode = QPMU_MODE_K};

        ring_put(&ring, &record, false);
    }
}

/* As a guest whose ring is the slot's (version 1), or RECORDS: takes all, which begin with FIRST
 * and follow each other. */
static unsigned take(const struct qpmu_record *records, uint32_t size, uint64_t first)
{
    unsigned taken = 0;

    for (; slot->tail != slot->head; slot->tail++, taken++) {
        const struct qpmu_record *record = &records[slot->tail % size];

        CHECK_EQUAL(record->pc, first + taken);
        CHECK_EQUAL(record->counter, record->pc % 2);
    }
    return taken;
}

static uint32_t move(uint64_t place, uint32_t size)
{
    slot->ring_size = size;
    slot->flags |= QPMU_RING_NEXT;
    CHECK(ring_expected(&ring));
    ring_move(&ring, place);
    CHECK(!ring_expected(&ring));
    return slot->ring_size;
}

/* A guest that knows of no other ring: 512 records at 0x1000, whatever stands in the rest of the
 * slot. */
TEST(qpmu_ring_of_the_slot)
{
    begin();
    memset(slot->reserved, 0xff, sizeof(slot->reserved));
    slot->ring_size = 0xffffffff;
    ring_open(&ring, slot);
    CHECK(!ring_expected(&ring));
    put(0, 500);
    CHECK_EQUAL(take((void *)((char *)slot + 0x1000), 512, 0), 500);
    put(500, 500 + 512 + 101);
    CHECK_EQUAL(slot->dropped, 101);
    CHECK_EQUAL(slot->lost[0] + slot->lost[1], 101);
    CHECK_EQUAL(slot->lost[1], 50);
    CHECK_EQUAL(take(slot->ring, 512, 500), 512);
    put(0, 3);
    CHECK_EQUAL(take(slot->ring, 512, 0), 3);
}

TEST(qpmu_ring_of_the_guest_s_own)
{
    struct qpmu_record *own;

    begin();
    own = page_records(OWN_PLACE, 4096, 32, 0);
    CHECK(own != NULL);
    CHECK_EQUAL(move(OWN_PLACE, 4096), 4096);
    put(0, 4096);
    CHECK_EQUAL(slot->dropped, 0);
    put(4096, 4099);
    CHECK_EQUAL(slot->dropped, 3);
    CHECK_EQUAL(take(own, 4096, 0), 4096);
    put(0, 10);
    CHECK_EQUAL(take(own, 4096, 0), 10);
    for (unsigned n = 0; n < QPMU_RING; n++)
        CHECK_EQUAL(slot->ring[n].pc, 0);
}

/* Nothing is lost where a ring takes the place of another, whatever their sizes, nor where it
 * cannot. */
TEST(qpmu_ring_moves_with_what_waits)
{
    struct qpmu_record *own;

    begin();
    own = page_records(OWN_PLACE, 2048, 32, 0);
    put(0, 700);
    CHECK_EQUAL(slot->dropped, 188);
    slot->tail += 12;
    CHECK_EQUAL(move(OWN_PLACE, 2048), 2048);
    put(512, 900);
    CHECK_EQUAL(take(own, 2048, 12), 888);
    put(0, 600);
    CHECK_EQUAL(move(0x1000, QPMU_RING), 2048); /* no room for 600 */
    CHECK_EQUAL(take(own, 2048, 0), 600);
    put(600, 1100);
    CHECK_EQUAL(move(0x1000, QPMU_RING), QPMU_RING);
    CHECK_EQUAL(take(slot->ring, QPMU_RING, 600), 500);
    put(0, 2);
    CHECK_EQUAL(move(OWN_PLACE, 2048), 2048);
    ring_open(&ring, slot); /* a hypercall for the slot: an empty ring in it */
    put(7, 10);
    slot->tail = slot->head - 3;
    CHECK_EQUAL(take(slot->ring, QPMU_RING, 7), 3);
}

/* Rings that cannot be: they change nothing. */
TEST(qpmu_ring_out_of_ram_is_refused)
{
    static const struct {
        uint64_t place;
        uint32_t size;
    } refused[] = {
        {OWN_PLACE, 0},          {OWN_PLACE, 3},
        {OWN_PLACE, 0xffffffff}, {OWN_PLACE, 1u << 31},
        {OWN_PLACE + 8, 1024},   {RAM_BYTES, 1},
        {RAM_BYTES - 32, 2},     {0, RAM_BYTES / 32 * 2},
        {UINT64_MAX - 31, 1},    {UINT64_MAX - 31, 1u << 31},
    };

    begin();
    for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        CHECK_EQUAL(move(refused[i].place, refused[i].size), QPMU_RING);
    put(0, 20);
    CHECK_EQUAL(take(slot->ring, QPMU_RING, 0), 20);
    CHECK_EQUAL(move(RAM_BYTES - 32, 1), 1);
    put(5, 7);
    CHECK_EQUAL(slot->dropped, 1);
    CHECK_EQUAL(take(page_records(RAM_BYTES - 32, 1, 32, 0), 1, 5), 1);
}

/* An earlier life of the machine has left anything where the slot was. */
TEST(qpmu_ring_is_not_expected_of_rubbish)
{
    struct ring none = {.slot = NULL};

    begin();
    slot->flags = QPMU_RING_NEXT;
    slot->magic = 0;
    CHECK(!ring_expected(&ring) && !ring_expected(&none));
    slot->magic = QPMU_MAGIC;
    CHECK(ring_expected(&ring));
}

static uint32_t dice(void)
{
    static uint64_t state = 88172645463325252ull;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* The sanitizers see an access beyond the RAM; a mapping that is there by chance is no excuse:
 * every place is computed from the ring's own fields, which stay sound. */
TEST(qpmu_ring_endures_rubbish)
{
    begin();
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t *fields[] = {&slot->tail, &slot->head, &slot->ring_size, &slot->flags,
                              &slot->dropped};

        *fields[dice() % 5] = dice() >> dice() % 32;
        slot->magic = QPMU_MAGIC;
        if (dice() % 4 == 0 && ring_expected(&ring))
            ring_move(&ring, dice() % 2 ? dice() % RAM_BYTES / 32 * 32 : dice());
        put(n, n + 1);
        CHECK(ring.size > 0 && (ring.size & (ring.size - 1)) == 0);
        CHECK((char *)ring.records >= (char *)slot &&
              (char *)(ring.records + ring.size) <= (char *)slot + RAM_BYTES);
    }
    begin();
}

/* Callers are good until their record is taken: those that come often are written once, and where
 * there is no room for others the record says so. */
TEST(qpmu_ring_with_callers)
{
    const struct {
        struct qpmu_record record;
        struct qpmu_callers callers;
    } *each;
    const uint64_t *words;
    unsigned cut = 0, again = 0;
    uint32_t last = 0;

    begin();
    slot->ring_words = 1024;
    each = (const void *)page_records(OWN_PLACE, 512, sizeof(*each), 1024);
    CHECK(each != NULL);
    words = (const uint64_t *)(each + 512);
    CHECK_EQUAL(move(OWN_PLACE, 512), 512);
    CHECK_EQUAL(slot->ring_words, 1024);
    for (uint64_t n = 0; n < 20000; n++) {
        struct qpmu_record record = {.pc = n};

        ring.next.count = 1 + (uint32_t)(n * 7 % 40);
        ring.next.flags = 0;
        for (uint32_t i = 0; i < ring.next.count; i++)
            ring.next.at[i] = n % 300 * 1000 + i;
        ring_put(&ring, &record, false);
        for (; n % 50 == 49 && slot->tail != slot->head; slot->tail++) {
            uint64_t pc = each[slot->tail % 512].record.pc;
            const struct qpmu_callers *callers = &each[slot->tail % 512].callers;

            again += callers->first == last;
            last = callers->first;
            if (callers->flags == QPMU_CALLERS_CUT) {
                CHECK_EQUAL(callers->count, 0);
                cut++;
                continue;
            }
            CHECK_EQUAL(callers->count, 1 + pc * 7 % 40);
            for (uint32_t i = 0; i < callers->count; i++)
                CHECK_EQUAL(words[(callers->first + i) % 1024], pc % 300 * 1000 + i);
        }
    }
    CHECK(cut > 1000 && cut < 15000 && again < 15000);
    slot->ring_words = 0;
    CHECK_EQUAL(move((uint64_t)((char *)slot->ring - (char *)slot), QPMU_RING), QPMU_RING);
    CHECK_EQUAL(slot->ring_words, 0);
}

/* Words whose number is none leave the ring where it was. */
TEST(qpmu_ring_with_too_few_words)
{
    begin();
    slot->ring_words = 128;
    CHECK_EQUAL(move(OWN_PLACE, 64), QPMU_RING);
    slot->ring_words = 300;
    CHECK_EQUAL(move(OWN_PLACE, 64), QPMU_RING);
    slot->ring_words = 0x80000000;
    CHECK_EQUAL(move(OWN_PLACE, 64), QPMU_RING);
    CHECK_EQUAL(slot->ring_words, 0);
}
