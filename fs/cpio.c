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

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_fields(const char *header, uint32_t *fields)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        fields[i] = 0;
        for (unsigned n = 0; n < 8; n++) {
            int value = digit(header[6 + 8 * i + n]);

            if (value < 0)
                return false;
            fields[i] = fields[i] << 4 | (uint32_t)value;
        }
    }
    return true;
}

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

static bool read_entry(struct cpio *archive, struct cpio_entry *out)
{
    const char *header = archive->data + archive->at;
    size_t left = archive->size - archive->at, name_end;
    uint32_t fields[FIELDS];

    if (!cpio_is(header, left) || !read_fields(header, fields))
        return false;
    name_end = padded(HEADER + (size_t)fields[NAMESIZE]);
    if (fields[NAMESIZE] == 0 || name_end > left || fields[FILESIZE] > left - name_end ||
        header[HEADER + fields[NAMESIZE] - 1] != '\0')
        return false;
    *out = (struct cpio_entry){
        .name = header + HEADER,
        .name_length = strnlen(header + HEADER, fields[NAMESIZE] - 1),
        .data = header + name_end,
        .size = fields[FILESIZE],
        .mode = fields[MODE],
        .uid = fields[UID],
        .gid = fields[GID],
        .links = fields[NLINK],
        .modified = fields[MTIME],
        .key = (uint64_t)(fields[DEVMAJOR] << 16 | (fields[DEVMINOR] & 0xffff)) << 32 | fields[INO],
    };
    archive->at += name_end + padded(fields[FILESIZE]);
    if (archive->at > archive->size)
        archive->at = archive->size; /* the last padding may be missing */
    return true;
}

bool cpio_next(struct cpio *archive, struct cpio_entry *out, bool *damaged)
{
    for (;;) {
        while (archive->at < archive->size && archive->data[archive->at] == '\0')
            archive->at++; /* what fills up a block */
        if (archive->at >= archive->size)
            return false;
        if (!read_entry(archive, out)) {
            *damaged = true;
            return false;
        }
        if (strcmp(out->name, TRAILER) != 0)
            return true;
    }
}

bool cpio_find(const void *data, size_t size, const char *name, struct cpio_entry *out)
{
    struct cpio archive = {.data = data, .size = size};
    bool damaged = false;

    while (cpio_next(&archive, out, &damaged))
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}
