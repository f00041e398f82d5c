/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading archives: see cpio.h. */
#include "fs/cpio.h"
#include "lib/string.h"

#define MAGIC   "070701"
#define TRAILER "TRAILER!!!"

/* cpio(5): thirteen numbers of eight digits behind the magic. */
enum field {
    INO,
    MODE,
    UID,
    GID,
    NLINK,
    MTIME,
    FILESIZE,
    DEVMAJOR,
    DEVMINOR,
    RMAJOR,
    RMINOR,
    NAMESIZE,
    CHECK,
    FIELDS
};
#define HEADER (6 + 8 * FIELDS)

bool cpio_is(const void *data, size_t size)
{
    return size >= HEADER && memcmp(data, MAGIC, 6) == 0;
}

static int cpio_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool cpio_read_field(const char *header, enum field field, uint32_t *out)
{
    const char *at = header + 6 + 8 * (unsigned)field;

    *out = 0;
    for (unsigned n = 0; n < 8; n++) {
        int value = cpio_digit(at[n]);

        if (value < 0)
            return false;
        *out = *out << 4 | (uint32_t)value;
    }
    return true;
}

static size_t cpio_padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* Where the next entry is, and what it is called; 0: it is damaged. */
static size_t cpio_read_place(const struct cpio *archive, struct cpio_entry *out)
{
    const char *header = archive->data + archive->at;
    size_t left = archive->size - archive->at, name_end;
    uint32_t name_size, size;

    if (!cpio_is(header, left) || !cpio_read_field(header, NAMESIZE, &name_size) ||
        !cpio_read_field(header, FILESIZE, &size))
        return 0;
    name_end = cpio_padded(HEADER + (size_t)name_size);
    if (name_size == 0 || name_end > left || size > left - name_end ||
        header[HEADER + name_size - 1] != '\0')
        return 0;
    out->name = header + HEADER;
    out->name_length = strnlen(out->name, name_size - 1);
    out->data = header + name_end;
    out->size = size;
    return name_end + cpio_padded(size);
}

static bool cpio_read_rest(const char *header, struct cpio_entry *out)
{
    uint32_t fields[FIELDS];

    for (unsigned i = 0; i < FIELDS; i++)
        if (!cpio_read_field(header, i, &fields[i]))
            return false;
    out->mode = fields[MODE];
    out->uid = fields[UID];
    out->gid = fields[GID];
    out->links = fields[NLINK];
    out->modified = fields[MTIME];
    out->key = (uint64_t)(fields[DEVMAJOR] << 16 | (fields[DEVMINOR] & 0xffff)) << 32 | fields[INO];
    return true;
}

/* WHOLE: all of it; else the name and the data. */
static bool cpio_read_entry(struct cpio *archive, struct cpio_entry *out, bool whole)
{
    const char *header = archive->data + archive->at;
    size_t length;

    *out = (struct cpio_entry){.name = NULL};
    length = cpio_read_place(archive, out);
    if (length == 0 || (whole && !cpio_read_rest(header, out)))
        return false;
    archive->at += length;
    if (archive->at > archive->size)
        archive->at = archive->size; /* the last padding may be missing */
    return true;
}

static bool cpio_next_entry(struct cpio *archive, struct cpio_entry *out, bool whole, bool *damaged)
{
    for (;;) {
        while (archive->at < archive->size && archive->data[archive->at] == '\0')
            archive->at++; /* what fills up a block */
        if (archive->at >= archive->size)
            return false;
        if (!cpio_read_entry(archive, out, whole)) {
            *damaged = true;
            return false;
        }
        if (strcmp(out->name, TRAILER) != 0)
            return true;
    }
}

bool cpio_next(struct cpio *archive, struct cpio_entry *out, bool *damaged)
{
    return cpio_next_entry(archive, out, true, damaged);
}

bool cpio_find(const void *data, size_t size, const char *name, struct cpio_entry *out)
{
    struct cpio archive = {.data = data, .size = size};
    bool damaged = false;

    while (cpio_next_entry(&archive, out, false, &damaged))
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}
