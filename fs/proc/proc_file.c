/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files of /proc: a text that is made when it is read from its beginning. */
#include "fs/proc/proc_private.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"

struct proc_reader {
    const struct proc_file *file;
    struct process *process;
    kmutex_t lock; /* of the text; held while it is copied */
    bool made;
    struct proc_text text;
};

int proc_file_open(struct file *file, const struct proc_file *of, struct process *process)
{
    bool writes = (file->flags & O_ACCMODE) != O_RDONLY;
    struct proc_reader *reader;

    if (writes && of->store == NULL)
        return -EACCES;
    reader = kmem_zalloc(sizeof *reader);
    if (reader == NULL)
        return -ENOMEM;
    reader->file = of;
    reader->process = process;
    mutex_init(&reader->lock, "proc text");
    file->data = reader;
    file->ops = &proc_file_ops;
    return 0;
}

static void proc_close(struct file *file)
{
    struct proc_reader *reader = file->data;

    proc_text_end(&reader->text);
    mutex_destroy(&reader->lock);
    kmem_free(reader);
}

static int proc_file_reader_prepare(struct proc_reader *reader, uint64_t offset)
{
    int error;

    if (reader->made && offset != 0)
        return 0;
    error = proc_text_make(&reader->text, reader->file, reader->process);
    reader->made = error == 0;
    return error;
}

static long proc_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct proc_reader *reader = file->data;
    size_t moved = 0, size = 0;
    int error;

    mutex_enter(&reader->lock);
    error = proc_file_reader_prepare(reader, *offset);
    if (error == 0 && *offset < reader->text.used) {
        size = reader->text.used - (size_t)*offset;
        if (size > uio->left)
            size = uio->left;
        moved = uio_put(uio, reader->text.text + *offset, size);
    }
    mutex_exit(&reader->lock);
    *offset += moved;
    if (error == 0 && moved == 0 && size > 0)
        error = -EFAULT;
    return error != 0 ? error : (long)moved;
}

static long proc_write_file(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct proc_reader *reader = file->data;
    size_t size = uio->left;
    char *text;
    int error;

    (void)offset;
    if (size >= PAGE_SIZE)
        return -EINVAL;
    text = kmem_alloc(size + 1);
    if (text == NULL)
        return -ENOMEM;
    error = uio_get(uio, text, size) < size ? -EFAULT : 0;
    text[size] = '\0';
    if (error == 0)
        error = reader->file->store(text, size, reader->process, reader->file->argument);
    kmem_free(text);
    return error != 0 ? error : (long)size;
}

const struct file_ops proc_file_ops = {
    .read = proc_read,
    .write = proc_write_file,
    .close = proc_close,
    .seekable = true,
};

long proc_file_readlink(const struct proc_file *file, struct process *process, char *buffer,
                        size_t size)
{
    struct proc_text text = {.used = 0};
    int error = proc_text_make(&text, file, process);

    if (size > text.used)
        size = text.used;
    if (error == 0)
        memcpy(buffer, text.text, size);
    proc_text_end(&text);
    return error != 0 ? error : (long)size;
}

const struct proc_file *proc_list_find(const struct proc_file *list, struct name name)
{
    while (list != NULL &&
           (strlen(list->name) != name.length || memcmp(list->name, name.text, name.length) != 0))
        list = list->next;
    return list;
}
