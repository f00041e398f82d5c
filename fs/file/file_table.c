/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of descriptors. An array of files; a bit for each number that is taken, and a bit for each
 * word of such bits that is full, so that the lowest free number of a million is found by looking
 * at a few words.
 *
 * The lock is a spinlock; the arrays are replaced, never changed in size, by whoever finds them too
 * small.
 */
#include "fs/file/file_table.h"
#include "fs/file/file.h"
#include "fs/file/lock.h"
#include "fs/file/fs_count.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

#define WORD_BITS  64u
#define FIRST_SIZE 64u

struct file_slots {
    uint32_t size; /* numbers; a multiple of WORD_BITS */
    struct file **files;
    uint64_t *taken; /* numbers that are taken */
    uint64_t *full;  /* words of `taken` that are full */
    uint64_t *close; /* on exec */
};

struct file_table {
    struct spinlock lock;
    uint32_t references;
    struct file_slots slots;
};

static uint32_t file_table_words(uint32_t bits)
{
    return (bits + WORD_BITS - 1) / WORD_BITS;
}

static bool file_table_bit_get(const uint64_t *map, uint32_t bit)
{
    return (map[bit / WORD_BITS] >> (bit % WORD_BITS) & 1) != 0;
}

static void file_table_bit_put(uint64_t *map, uint32_t bit, bool on)
{
    uint64_t mask = (uint64_t)1 << (bit % WORD_BITS);

    map[bit / WORD_BITS] = on ? map[bit / WORD_BITS] | mask : map[bit / WORD_BITS] & ~mask;
}

/* The first bit from FROM on that is 0 (or 1, if SET); at LIMIT or above: there is none. */
static uint32_t file_table_bit_next(const uint64_t *map, uint32_t from, uint32_t limit, bool set)
{
    while (from < limit) {
        uint64_t word = set ? map[from / WORD_BITS] : ~map[from / WORD_BITS];

        word &= ~(uint64_t)0 << (from % WORD_BITS);
        if (word != 0)
            return from / WORD_BITS * WORD_BITS + (uint32_t)__builtin_ctzll(word);
        from = (from / WORD_BITS + 1) * WORD_BITS;
    }
    return limit;
}

static int file_table_slots_make(struct file_slots *slots, uint32_t size)
{
    size_t maps = (size_t)file_table_words(size) * 2 + file_table_words(file_table_words(size));
    char *memory = kmem_zalloc(size * sizeof(struct file *) + maps * sizeof(uint64_t));

    if (memory == NULL)
        return -ENOMEM;
    slots->size = size;
    slots->files = (void *)memory;
    slots->taken = (void *)(memory + size * sizeof(struct file *));
    slots->close = slots->taken + file_table_words(size);
    slots->full = slots->close + file_table_words(size);
    return 0;
}

static void file_table_slots_copy(struct file_slots *to, const struct file_slots *from)
{
    memcpy(to->files, from->files, from->size * sizeof(struct file *));
    memcpy(to->taken, from->taken, file_table_words(from->size) * sizeof(uint64_t));
    memcpy(to->close, from->close, file_table_words(from->size) * sizeof(uint64_t));
    memcpy(to->full, from->full, file_table_words(file_table_words(from->size)) * sizeof(uint64_t));
}

/* The lowest free number from LOWEST on, or the table's size. */
static uint32_t file_table_slots_free(const struct file_slots *slots, uint32_t lowest)
{
    uint32_t count = file_table_words(slots->size), word = lowest / WORD_BITS;
    uint32_t here = file_table_bit_next(slots->taken, lowest, (word + 1) * WORD_BITS, false);

    if (word >= count || here < (word + 1) * WORD_BITS)
        return word >= count ? slots->size : here;
    word = file_table_bit_next(slots->full, word + 1, count, false);
    return word >= count ? slots->size
                         : file_table_bit_next(slots->taken, word * WORD_BITS, slots->size, false);
}

static void file_table_slots_set(struct file_slots *slots, uint32_t number, struct file *file,
                                 bool close)
{
    slots->files[number] = file;
    file_table_bit_put(slots->taken, number, file != NULL);
    file_table_bit_put(slots->close, number, close);
    file_table_bit_put(slots->full, number / WORD_BITS,
                       slots->taken[number / WORD_BITS] == UINT64_MAX);
}

static struct file *file_table_slots_get(const struct file_slots *slots, int number)
{
    return number < 0 || (uint32_t)number >= slots->size ? NULL : slots->files[number];
}

struct file_table *file_table_create(void)
{
    struct file_table *table = kmem_zalloc(sizeof *table);

    if (table == NULL || file_table_slots_make(&table->slots, FIRST_SIZE) != 0) {
        kmem_free(table);
        return NULL;
    }
    spinlock_init(&table->lock, "file table");
    table->references = 1;
    fs_count(FS_TABLES, 1);
    return table;
}

/* Makes room for NUMBER. The lock is not held. */
static int table_grow(struct file_table *table, uint32_t number)
{
    struct file_slots larger, old;
    uint32_t size = FIRST_SIZE;
    uintptr_t state;

    while (size <= number)
        size *= 2;
    if (file_table_slots_make(&larger, size) != 0)
        return -ENOMEM;
    state = spinlock_acquire(&table->lock);
    old = table->slots;
    if (old.size < size) {
        file_table_slots_copy(&larger, &old);
        table->slots = larger;
    } else {
        old = larger; /* somebody else was quicker */
    }
    spinlock_release(&table->lock, state);
    kmem_free(old.files);
    return 0;
}

static void file_table_hold_all(const struct file_slots *slots)
{
    for (uint32_t i = 0;
         (i = file_table_bit_next(slots->taken, i, slots->size, true)) < slots->size; i++)
        file_hold(slots->files[i]);
}

struct file_table *file_table_copy(struct file_table *table)
{
    struct file_table *copy = file_table_create();
    uintptr_t state;

    while (copy != NULL) {
        uint32_t size = __atomic_load_n(&table->slots.size, __ATOMIC_RELAXED);

        if (size > copy->slots.size && table_grow(copy, size - 1) != 0)
            break;
        state = spinlock_acquire(&table->lock);
        if (table->slots.size <= copy->slots.size) {
            file_table_slots_copy(&copy->slots, &table->slots);
            file_table_hold_all(&copy->slots);
            spinlock_release(&table->lock, state);
            return copy;
        }
        spinlock_release(&table->lock, state); /* it has grown */
    }
    if (copy != NULL)
        file_table_release(copy);
    return NULL;
}

struct file_table *file_table_hold(struct file_table *table)
{
    uintptr_t state = spinlock_acquire(&table->lock);

    table->references++;
    spinlock_release(&table->lock, state);
    return table;
}

void file_table_release(struct file_table *table)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    bool unused = --table->references == 0;

    spinlock_release(&table->lock, state);
    if (!unused)
        return;
    file_table_close_range(table, 0, UINT32_MAX, false);
    kmem_free(table->slots.files);
    kmem_free(table);
    fs_count(FS_TABLES, -1);
}

struct file *file_table_get(struct file_table *table, int descriptor)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    struct file *file = file_table_slots_get(&table->slots, descriptor);

    if (file != NULL)
        file_hold(file);
    spinlock_release(&table->lock, state);
    return file;
}

/* Puts FILE where it finds room below LIMIT: its number, -EMFILE, or -ENOSPC: the table is too
 * small. */
static int table_put(struct file_table *table, struct file *file, uint32_t lowest, bool close,
                     uint32_t limit)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    uint32_t number = file_table_slots_free(&table->slots, lowest);
    int result = -ENOSPC;

    if (number >= limit || (number >= table->slots.size && lowest >= limit))
        result = -EMFILE;
    else if (number < table->slots.size) {
        file_table_slots_set(&table->slots, number, file, close);
        result = (int)number;
    }
    spinlock_release(&table->lock, state);
    return result;
}

int file_table_add(struct file_table *table, struct file *file, int lowest, bool close_on_exec,
                   uint32_t limit)
{
    int result = -EINVAL;

    if (limit > FILE_TABLE_MAX)
        limit = FILE_TABLE_MAX;
    if (lowest >= 0 && ((uint32_t)lowest < limit || lowest == 0)) {
        do {
            uint32_t size = __atomic_load_n(&table->slots.size, __ATOMIC_RELAXED);

            result = table_put(table, file, (uint32_t)lowest, close_on_exec, limit);
            if (result == -ENOSPC &&
                table_grow(table, (uint32_t)lowest > size ? (uint32_t)lowest : size) != 0)
                result = -ENOMEM;
        } while (result == -ENOSPC);
    }
    if (result < 0)
        file_release(file);
    return result;
}

/* FILE is closed: with any descriptor of a file the process's locks of ranges in it go. */
static void table_drop(struct file_table *table, struct file *file)
{
    if (file != NULL && file->vnode != NULL)
        file_lock_drop(file->vnode, table);
    file_release(file);
}

int file_table_set(struct file_table *table, struct file *file, int number, bool close_on_exec,
                   uint32_t limit)
{
    struct file *old;
    uintptr_t state;

    if (limit > FILE_TABLE_MAX)
        limit = FILE_TABLE_MAX;
    if (number < 0 || (uint32_t)number >= limit ||
        ((uint32_t)number >= table->slots.size && table_grow(table, (uint32_t)number) != 0)) {
        file_release(file);
        return number < 0 || (uint32_t)number >= limit ? -EBADF : -ENOMEM;
    }
    state = spinlock_acquire(&table->lock);
    old = table->slots.files[number];
    file_table_slots_set(&table->slots, (uint32_t)number, file, close_on_exec);
    spinlock_release(&table->lock, state);
    table_drop(table, old);
    return number;
}

int file_table_add_pair(struct file_table *table, struct file *files[2], bool close_on_exec,
                        uint32_t limit, int numbers[2])
{
    numbers[0] = file_table_add(table, files[0], 0, close_on_exec, limit);
    if (numbers[0] < 0) {
        file_release(files[1]);
        return numbers[0];
    }
    numbers[1] = file_table_add(table, files[1], 0, close_on_exec, limit);
    if (numbers[1] >= 0)
        return 0;
    file_table_close(table, numbers[0]);
    return numbers[1];
}

/* Takes out what is under NUMBER; NULL: nothing. */
static struct file *table_take(struct file_table *table, int number)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    struct file *file = file_table_slots_get(&table->slots, number);

    if (file != NULL)
        file_table_slots_set(&table->slots, (uint32_t)number, NULL, false);
    spinlock_release(&table->lock, state);
    return file;
}

int file_table_close(struct file_table *table, int descriptor)
{
    struct file *file = table_take(table, descriptor);

    if (file == NULL)
        return -EBADF;
    table_drop(table, file);
    return 0;
}

/* The first number from FROM on that is taken, or that is to be closed on exec; -1: none. */
static int table_next(struct file_table *table, uint32_t from, bool on_exec)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    uint32_t size = table->slots.size;
    uint32_t number =
        file_table_bit_next(on_exec ? table->slots.close : table->slots.taken, from, size, true);

    spinlock_release(&table->lock, state);
    return number < size ? (int)number : -1;
}

int file_table_next(struct file_table *table, int from)
{
    return table_next(table, from < 0 ? 0 : (uint32_t)from, false);
}

void file_table_close_range(struct file_table *table, uint32_t first, uint32_t last, bool on_exec)
{
    int number;

    while (first <= last && (number = table_next(table, first, false)) >= 0 &&
           (uint32_t)number <= last) {
        if (on_exec)
            file_table_set_close_on_exec(table, number, true);
        else
            file_table_close(table, number);
        first = (uint32_t)number + 1;
    }
}

void file_table_exec(struct file_table *table)
{
    for (int number = 0; (number = table_next(table, (uint32_t)number, true)) >= 0; number++)
        file_table_close(table, number);
}

int file_table_close_on_exec(struct file_table *table, int descriptor)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    int result = file_table_slots_get(&table->slots, descriptor) == NULL
                     ? -EBADF
                     : file_table_bit_get(table->slots.close, (uint32_t)descriptor);

    spinlock_release(&table->lock, state);
    return result;
}

int file_table_set_close_on_exec(struct file_table *table, int descriptor, bool on)
{
    uintptr_t state = spinlock_acquire(&table->lock);
    int result = file_table_slots_get(&table->slots, descriptor) == NULL ? -EBADF : 0;

    if (result == 0)
        file_table_bit_put(table->slots.close, (uint32_t)descriptor, on);
    spinlock_release(&table->lock, state);
    return result;
}
