/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF executables (System V ABI, chapters 4 and 5): 64 bits, static, at their own addresses or
 * anywhere. */
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "kernel/vm/vm.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/start/exec.h"
#include <linux_abi.h>

#define PAGE         4096ul
#define DOWN(x)      ((x) & ~(PAGE - 1))
#define UP(x)        (((x) + PAGE - 1) & ~(PAGE - 1))
#define SEGMENTS_MAX 64u
#define ANYWHERE     0x5555554000ul /* where a position-independent executable goes */
#define ET_EXEC      2
#define ET_DYN       3
#define PT_LOAD      1
#define PT_INTERP    3
#define PT_GNU_STACK 0x6474e551u /* Linux' own: what the stack may be used for */
#define PF_X         1u
#define PF_W         2u
#define PF_R         4u

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, program_headers, section_headers;
    uint32_t flags;
    uint16_t size, program_size, program_count, section_size, section_count, names;
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, size, align;
};

static bool elf_is_ours(const struct elf_header *header, size_t size)
{
    static const uint8_t magic[7] = {
        0x7f, 'E', 'L', 'F', 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 2 : 1, 1};

    return size >= sizeof *header && memcmp(header->ident, magic, sizeof magic) == 0 &&
           header->machine == ABI_ELF_MACHINE &&
           (header->type == ET_EXEC || header->type == ET_DYN) &&
           header->program_size == sizeof(struct elf_segment) && header->program_count > 0 &&
           header->program_count <= SEGMENTS_MAX;
}

static unsigned elf_rights(const struct elf_segment *segment)
{
    return (segment->flags & PF_R ? ASPACE_READ : 0) | (segment->flags & PF_W ? ASPACE_WRITE : 0) |
           (segment->flags & PF_X ? ASPACE_EXECUTE : 0);
}

static bool elf_segment_is_sane(const struct elf_segment *segment, uint64_t bias)
{
    uint64_t address = segment->address + bias;

    return segment->file_size <= segment->size && segment->size <= VM_TOP &&
           address <= VM_TOP - segment->size && address >= VM_LOWEST &&
           segment->offset % PAGE == segment->address % PAGE &&
           segment->offset <= INT64_MAX - segment->file_size;
}

/* What the file has, then memory that is 0. */
static int elf_map_segment(struct vm *vm, struct vm_object *object,
                           const struct elf_segment *segment, uint64_t bias,
                           struct elf_image *image)
{
    uintptr_t start = DOWN(segment->address + bias);
    uint64_t file_end = segment->address + bias + segment->file_size;
    uint64_t end = segment->address + bias + segment->size;
    int error = 0;

    if (segment->file_size > 0)
        error = vm_map(vm, &start, UP(file_end) - start, elf_rights(segment), VM_FIXED, object,
                       DOWN(segment->offset));
    if (error == 0 && UP(end) > UP(file_end)) {
        uintptr_t zeroes = segment->file_size > 0 ? UP(file_end) : start;

        error = vm_map(vm, &zeroes, UP(end) - zeroes, elf_rights(segment), VM_FIXED, NULL, 0);
    }
    if (segment->flags & PF_W && segment->size > segment->file_size && file_end % PAGE != 0 &&
        segment->file_size > 0) {
        image->bss = file_end;
        image->bss_size = (end < UP(file_end) ? end : UP(file_end)) - file_end;
    }
    if (UP(end) > image->end)
        image->end = UP(end);
    return error;
}

static int elf_map_all(const struct elf_header *header, const struct elf_segment *segments,
                       struct vm_object *object, struct vm *vm, struct elf_image *image)
{
    uint64_t bias = header->type == ET_DYN ? ANYWHERE : 0;

    for (unsigned i = 0; i < header->program_count; i++) {
        const struct elf_segment *segment = &segments[i];
        int error;

        if (segment->type == PT_INTERP)
            return -ENOENT;
        if (segment->type == PT_GNU_STACK)
            image->executes_stack = segment->flags & PF_X;
        if (segment->type != PT_LOAD || segment->size == 0)
            continue;
        if (!elf_segment_is_sane(segment, bias))
            return -ENOEXEC;
        if (header->program_headers >= segment->offset &&
            header->program_headers < segment->offset + segment->file_size)
            image->headers = header->program_headers - segment->offset + segment->address + bias;
        error = elf_map_segment(vm, object, segment, bias, image);
        if (error != 0)
            return error;
    }
    image->entry = header->entry + bias;
    image->header_count = header->program_count;
    return image->end != 0 && image->entry < VM_TOP ? 0 : -ENOEXEC;
}

int elf_map(struct file *file, const void *head, size_t head_size, struct vm *vm,
            struct elf_image *out)
{
    const struct elf_header *header = head;
    struct elf_segment *segments;
    struct vm_object *object;
    size_t size;
    long got;
    int error;

    memset(out, 0, sizeof *out);
    if (!elf_is_ours(header, head_size))
        return -ENOEXEC;
    error = file_object(file, false, &object);
    if (error != 0)
        return error;
    size = header->program_count * sizeof *segments;
    segments = kmem_alloc(size);
    error = -ENOMEM;
    if (segments) {
        got = file_read_kernel(file, segments, size, header->program_headers);
        error = got < 0 ? (int)got : (size_t)got < size ? -ENOEXEC : 0;
    }
    if (error == 0)
        error = elf_map_all(header, segments, object, vm, out);
    kmem_free(segments);
    object->ops->release(object);
    return error;
}
