/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds sysctl nodes by name and checks what is asked of them; see sysctl.h. */
#include "kernel/export/sysctl.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/string.h"

int sysctl_out(struct sysctl_request *request, const void *bytes, size_t size)
{
    if (request->old != NULL && request->used < request->capacity) {
        size_t room = request->capacity - request->used;

        memcpy(request->old + request->used, bytes, size < room ? size : room);
    }
    request->used += size;
    return 0;
}

int sysctl_out_int(struct sysctl_request *request, int value)
{
    return sysctl_out(request, &value, sizeof(value));
}

int sysctl_out_long(struct sysctl_request *request, uint64_t value)
{
    return sysctl_out(request, &value, sizeof(value));
}

int sysctl_out_string(struct sysctl_request *request, const char *text)
{
    return sysctl_out(request, text, strlen(text) + 1);
}

/* Whether NAME is PREFIX or lies below it. */
static bool sysctl_is_below(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);

    return length == 0 ||
           (strncmp(name, prefix, length) == 0 && (name[length] == '.' || name[length] == '\0'));
}

const struct sysctl *sysctl_find(const char *name)
{
    const struct sysctl *const *member;

    LINKER_SET_FOREACH (member, sysctls) {
        if (strcmp(name, (*member)->name) == 0 ||
            ((*member)->words > 0 && sysctl_is_below(name, (*member)->name)))
            return *member;
    }
    return NULL;
}

const struct sysctl *sysctl_next(const char *prefix, const struct sysctl *previous)
{
    const struct sysctl *const *member;
    const struct sysctl *best = NULL;

    LINKER_SET_FOREACH (member, sysctls) {
        const struct sysctl *node = *member;

        if (!sysctl_is_below(node->name, prefix) ||
            (previous != NULL && strcmp(node->name, previous->name) <= 0))
            continue;
        if (best == NULL || strcmp(node->name, best->name) < 0)
            best = node;
    }
    return best;
}

/* The components that follow the node's name; -1 is one. */
static int sysctl_read_words(const char *text, const struct sysctl *node,
                             struct sysctl_request *request)
{
    while (*text != '\0') {
        char digits[12];
        uint64_t value;
        bool negative;
        size_t length = 0;

        negative = *++text == '-'; /* behind the dot */
        text += negative;
        while (text[length] != '\0' && text[length] != '.')
            length++;
        if (request->words == node->words || length >= sizeof(digits))
            return -EINVAL;
        strlcpy(digits, text, length + 1);
        if (parse_u64(digits, 10, &value) != 0)
            return -EINVAL;
        request->word[request->words++] = negative ? -(long)value : (long)value;
        text += length;
    }
    return 0;
}

int sysctlbyname(const char *name, void *old, size_t *old_size, const void *new, size_t new_size)
{
    const struct sysctl *node = sysctl_find(name);
    struct sysctl_request request = {.old = old,
                                     .capacity = old != NULL && old_size != NULL ? *old_size : 0,
                                     .new = new,
                                     .new_size = new_size};
    int error;

    if (node == NULL)
        return name[0] == '\0' || sysctl_next(name, NULL) == NULL ? -ENOENT : -EISDIR;
    if (new != NULL && !node->writable)
        return -EPERM;
    error = sysctl_read_words(name + strlen(node->name), node, &request);
    if (error != 0)
        return error;
    late_start();
    error = node->access(&request);
    if (error != 0)
        return error;
    if (old_size != NULL)
        *old_size = request.used;
    return old != NULL && request.used > request.capacity ? -ENOMEM : 0;
}
