/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing kstats through kstat_ioctl: every refusal with its error number. */
#include <sys/kstat.h>

#include "tests/host/kstat_check.h"

#include <errno.h>
#include <quipu_host.h>
#include <string.h>

static kstat_named_t buffer[16];

static int update_error;
static int snapshot_error;
static int updates;

static int update(kstat_t *ksp, int rw)
{
    (void)ksp;
    (void)rw;
    updates++;
    return update_error;
}

static int snapshot(kstat_t *ksp, void *data, int rw)
{
    if (rw == KSTAT_WRITE)
        memcpy(ksp->ks_data, data, sizeof(kstat_named_t));
    else
        memset(data, 0x11, ksp->ks_data_size);
    return snapshot_error;
}

static kstat_t *make(uchar_t flags)
{
    kstat_t *ksp = kstat_create("test", 0, "two", "misc", KSTAT_TYPE_NAMED, 2, flags);

    kstat_named_init(KSTAT_NAMED_PTR(ksp), "a", KSTAT_DATA_UINT64);
    kstat_named_init(KSTAT_NAMED_PTR(ksp) + 1, "b", KSTAT_DATA_INT32);
    update_error = 0;
    snapshot_error = 0;
    updates = 0;
    return ksp;
}

static kstat_t request(kid_t kid, size_t size)
{
    kstat_t ks;

    memset(&ks, 0xee, sizeof ks);
    memset(buffer, 0xee, sizeof buffer);
    ks.ks_kid = kid;
    ks.ks_data = buffer;
    ks.ks_data_size = size;
    return ks;
}

TEST(kstat_ioctl_unknown)
{
    kstat_t ks = request(12345, 96);

    CHECK(kstat_ioctl(0, &ks) == -EINVAL);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, NULL) == -EFAULT);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, NULL) == -EFAULT);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -ENXIO);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -ENXIO);
    CHECK_IS(kstat_ioctl(KSTAT_IOC_CHAIN_ID, &ks), 2);
    CHECK_IS(KSTAT_IOC_READ, 0x4b02);
}

TEST(kstat_ioctl_read_errors)
{
    kstat_t *ksp = make(0);
    kstat_t ks = request(ksp->ks_kid, 96);

    host_clock_set(7);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -EAGAIN);
    CHECK_IS(ks.ks_flags, KSTAT_FLAG_INVALID);
    kstat_install(ksp);
    ks = request(ksp->ks_kid, 95);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -ENOMEM);
    CHECK_IS(ks.ks_data_size, 96);
    CHECK_IS(ks.ks_ndata, 2);
    CHECK_IS(ks.ks_flags, 0);
    CHECK_IS(*(unsigned char *)buffer, 0xee);
    ks = request(ksp->ks_kid, 96);
    ks.ks_data = NULL;
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -EFAULT);
    ks = request(ksp->ks_kid, 200);
    CHECK_IS(kstat_ioctl(KSTAT_IOC_READ, &ks), 3);
    CHECK_IS(ks.ks_data_size, 96);
    CHECK_IS(ks.ks_snaptime, 7);
    CHECK(memcmp(buffer, ksp->ks_data, 96) == 0);
    ksp->ks_update = update;
    update_error = EIO;
    ks = request(ksp->ks_kid, 10);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -EIO);
    CHECK_IS(ks.ks_data_size, 96); /* returned although it failed */
    CHECK_IS(ks.ks_ndata, 2);
    update_error = EACCES;
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -EACCES);
    update_error = 0;
    ksp->ks_snapshot = snapshot;
    snapshot_error = -ENXIO;
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -ENXIO);
    kstat_delete(ksp);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -ENXIO);
}

TEST(kstat_ioctl_read_of_virtual_without_data)
{
    kstat_t *ksp = kstat_create("test", 0, "v", "misc", KSTAT_TYPE_NAMED, 1, KSTAT_FLAG_VIRTUAL);
    kstat_t ks = request(ksp->ks_kid, 48);
    kstat_named_t mine;

    kstat_install(ksp);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) == -EIO);
    kstat_named_init(&mine, "mine", KSTAT_DATA_CHAR);
    ksp->ks_data = &mine;
    CHECK_IS(kstat_ioctl(KSTAT_IOC_READ, &ks), 3);
    CHECK_TEXT(buffer[0].name, "mine");
}

TEST(kstat_ioctl_write_errors)
{
    kstat_t *ksp = make(0);
    kstat_t ks = request(ksp->ks_kid, 96);

    ks.ks_ndata = 2;
    host_privileged_set(0);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EPERM);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, NULL) == -EPERM);
    host_privileged_set(1);
    ks.ks_data = NULL;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EFAULT);
    ks.ks_data = buffer;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EAGAIN);
    kstat_install(ksp);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EACCES);
    kstat_delete(ksp);

    ksp = make(KSTAT_FLAG_WRITABLE);
    kstat_install(ksp);
    ks = request(ksp->ks_kid, 96);
    memcpy(buffer, ksp->ks_data, 96);
    ks.ks_ndata = 1;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    ks.ks_ndata = 2;
    ks.ks_data_size = 97;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    ks.ks_data_size = 96;
    buffer[1].data_type = KSTAT_DATA_UINT32;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    buffer[1].data_type = KSTAT_DATA_INT32;
    buffer[0].value.ui64 = 77;
    CHECK_IS(kstat_ioctl(KSTAT_IOC_WRITE, &ks), 5);
    CHECK_IS(KSTAT_NAMED_PTR(ksp)->value.ui64, 77);

    ksp->ks_update = update;
    update_error = EIO;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EIO);
    CHECK_IS(updates, 1);
    ksp->ks_snapshot = snapshot;
    snapshot_error = EACCES;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EACCES);
    CHECK_IS(updates, 1); /* the snapshot comes first */
}

TEST(kstat_ioctl_write_strings)
{
    kstat_t *ksp = kstat_create("test", 0, "s", "misc", KSTAT_TYPE_NAMED, 1, KSTAT_FLAG_WRITABLE);
    kstat_t ks;
    char *inside = (char *)(buffer + 1);

    snapshot_error = 0;
    kstat_named_init(ksp->ks_data, "s", KSTAT_DATA_STRING);
    kstat_named_setstr(ksp->ks_data, "hello");
    ksp->ks_snapshot = snapshot;
    kstat_install(ksp);
    CHECK_IS(ksp->ks_data_size, 48 + 6);
    ks = request(ksp->ks_kid, 54);
    ks.ks_ndata = 1;
    memcpy(buffer, ksp->ks_data, 48);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL); /* points into the kernel */
    memcpy(inside, "HELLO", 6);
    buffer[0].value.str.addr.ptr = inside;
    CHECK_IS(kstat_ioctl(KSTAT_IOC_WRITE, &ks), 3);
    buffer[0].value.str.addr.ptr = inside + 1; /* beyond the end */
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    buffer[0].value.str.len = UINT32_MAX;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    buffer[0].value.str.addr.ptr = inside - 1; /* in the records */
    buffer[0].value.str.len = 2;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    buffer[0].value.str.addr.ptr = inside; /* without its end */
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    buffer[0].value.str.addr.ptr = NULL;
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EINVAL);
    buffer[0].value.str.len = 0;
    CHECK_IS(kstat_ioctl(KSTAT_IOC_WRITE, &ks), 3);
}

TEST(kstat_headers_are_not_writable)
{
    kstat_t ks = request(0, 0);

    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) == -EACCES);
}

static host_mutex_t lock;
static int saw_lock;

static int look_at_lock(kstat_t *ksp, int rw)
{
    (void)ksp;
    (void)rw;
    saw_lock += lock.owner != NULL;
    return 0;
}

static int look_at_lock_too(kstat_t *ksp, void *data, int rw)
{
    (void)data;
    return look_at_lock(ksp, rw);
}

TEST(kstat_functions_run_under_ks_lock)
{
    kstat_t *ksp = make(KSTAT_FLAG_WRITABLE);
    kstat_t ks = request(ksp->ks_kid, 96);

    saw_lock = 0;
    ksp->ks_lock = &lock;
    ksp->ks_update = look_at_lock;
    ksp->ks_snapshot = look_at_lock_too;
    kstat_install(ksp);
    CHECK(kstat_ioctl(KSTAT_IOC_READ, &ks) > 0);
    CHECK_IS(saw_lock, 2);
    memcpy(buffer, ksp->ks_data, 96);
    CHECK(kstat_ioctl(KSTAT_IOC_WRITE, &ks) > 0);
    CHECK_IS(saw_lock, 4);
    CHECK(lock.owner == NULL);
}
