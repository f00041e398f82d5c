/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs have of libquipu.a, one test for each word: the test prints "ok" and nothing else
 * if all that it checks holds, or the line of what does not.
 */
#include <errno.h>
#include <fcntl.h>
#include <kstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/evcnt.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmc.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno);                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FAILS(call, error) (errno = 0, (call) == -1 && errno == (error))
#define LACKS(call, error) (errno = 0, (call) == NULL && errno == (error))

/* An address of the kernel's, on each machine. */
#define KERNEL ((void *)0xffffffff80100000)

static int device;

static kstat_t by_name(const char *module, int instance, const char *name)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *found, copy;

    CHECK(kc != NULL);
    found = kstat_lookup(kc, module, instance, name);
    CHECK(found != NULL);
    copy = *found;
    kstat_close(kc);
    copy.ks_data = NULL;
    return copy;
}

static void test_read_errors(void)
{
    kstat_t types = by_name("unix", 0, "kstat_types"), ks = types;
    char room[4096], *last;
    long page = sysconf(_SC_PAGESIZE);

    CHECK(FAILS(ioctl(device, KSTAT_IOC_BASE, NULL), EINVAL));
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, NULL), EFAULT));
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, KERNEL), EFAULT));
    ks.ks_kid = 1 << 30;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, &ks), ENXIO));
    /* Too little room: what is needed is said, and nothing written. */
    ks = types;
    ks.ks_data = memset(room, 'x', sizeof room);
    ks.ks_data_size = sizeof(kstat_named_t);
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, &ks), ENOMEM));
    CHECK(ks.ks_data_size == KSTAT_NUM_TYPES * sizeof(kstat_named_t) && room[0] == 'x');
    CHECK(ks.ks_ndata == KSTAT_NUM_TYPES && ks.ks_data == room);
    /* More than enough, which costs the kernel nothing. */
    ks.ks_data_size = (size_t)1 << 50;
    CHECK(ioctl(device, KSTAT_IOC_READ, &ks) >= 0);
    CHECK(ks.ks_data_size == KSTAT_NUM_TYPES * sizeof(kstat_named_t));
    CHECK(strcmp(room, "raw") == 0 && room[ks.ks_data_size] == 'x');
    ks.ks_data = KERNEL;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, &ks), EFAULT));
    ks.ks_data = NULL;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, &ks), EFAULT));
    /* The end of what is mapped, in the middle of the data; and of the header. */
    last = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(last + page, (size_t)page);
    ks.ks_data = last + page - 100;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, &ks), EFAULT));
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, last + page - 100), EFAULT));
    mprotect(last, (size_t)page, PROT_READ);
    CHECK(FAILS(ioctl(device, KSTAT_IOC_READ, last), EFAULT));
    munmap(last, (size_t)page);
}

/* Nothing here may be written; the order of refusals is that of the interface. */
static void test_write_errors(void)
{
    kstat_t ks = by_name("unix", 0, "kstat_types");
    char room[4096];

    ks.ks_data = room;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_WRITE, NULL), EFAULT));
    CHECK(FAILS(ioctl(device, KSTAT_IOC_WRITE, &ks), EACCES));
    ks.ks_data_size = (size_t)1 << 50;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_WRITE, &ks), EACCES));
    ks.ks_kid = 1 << 30;
    CHECK(FAILS(ioctl(device, KSTAT_IOC_WRITE, &ks), ENXIO));
    if (fork() == 0) {
        CHECK(setuid(1000) == 0);
        CHECK(FAILS(ioctl(device, KSTAT_IOC_WRITE, &ks), EPERM));
        CHECK(FAILS(ioctl(device, KSTAT_IOC_WRITE, NULL), EPERM));
        ks = by_name("unix", 0, "kstat_types");
        ks.ks_data = room;
        CHECK(ioctl(device, KSTAT_IOC_READ, &ks) >= 0);
        CHECK(FAILS(sysctlbyname("kern.hostname", NULL, NULL, "mine", 4), EPERM));
        exit(0);
    }
}

static void test_errors(void)
{
    int status = 0;

    device = open("/dev/kstat", O_RDONLY);
    CHECK(device >= 0);
    test_read_errors();
    test_write_errors();
    CHECK(wait(&status) > 0 && status == 0);
}

static void test_library_errors(void)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *ks = kstat_lookup(kc, "unix", 0, "kstat_types");
    kstat_named_t types[KSTAT_NUM_TYPES], *found;

    CHECK(kc->kc_kd >= 0 && kc->kc_chain_id > 0);
    CHECK(kstat_chain_update(kc) == 0);
    CHECK(LACKS(kstat_lookup(kc, "none", -1, NULL), ENOENT));
    CHECK(kstat_read(kc, ks, types) == kc->kc_chain_id);
    CHECK(strcmp(types[3].name, "i/o") == 0 && types[3].value.ui32 == KSTAT_TYPE_IO);
    found = kstat_data_lookup(ks, "interrupt");
    CHECK(found != NULL && found->value.ui32 == KSTAT_TYPE_INTR);
    CHECK(LACKS(kstat_data_lookup(ks, "none"), ENOENT));
    CHECK(FAILS(kstat_write(kc, ks, NULL), EACCES));
    /* Times are of one clock. */
    CHECK(ks->ks_snaptime > 0 && ks->ks_snaptime <= gethrtime());
    CHECK(gethrtime() - ks->ks_snaptime < 10000000000);
    kstat_close(kc);
    CHECK(kstat_close(NULL) == 0);
}

/* The numbers and the text of selftest:0:writable, as another reader sees them. */
static void check_written(uint64_t number, int32_t signed_number, const char *text)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *ks = kstat_lookup(kc, "selftest", 0, "writable");
    kstat_named_t *record;

    CHECK(kstat_read(kc, ks, NULL) >= 0);
    record = ks->ks_data;
    CHECK(record[0].value.ui64 == number && record[1].value.i32 == signed_number);
    CHECK(strcmp(KSTAT_NAMED_STR_PTR(&record[2]), text) == 0);
    kstat_close(kc);
}

static void test_write(void)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *ks = kstat_lookup(kc, "selftest", 0, "writable");
    kstat_named_t *record;
    char outside[] = "outside";

    CHECK(ks != NULL && kstat_read(kc, ks, NULL) >= 0);
    record = ks->ks_data;
    record[0].value.ui64 = 0x123456789abcdef0;
    record[1].value.i32 = -5;
    strcpy(KSTAT_NAMED_STR_PTR(&record[2]), "second");
    CHECK(kstat_write(kc, ks, NULL) == kc->kc_chain_id);
    check_written(0x123456789abcdef0, -5, "second");
    record[0].value.ui64 = 13; /* its owner refuses that */
    CHECK(FAILS(kstat_write(kc, ks, NULL), EIO));
    record[0].data_type = KSTAT_DATA_INT64;
    CHECK(FAILS(kstat_write(kc, ks, NULL), EINVAL));
    record[0].data_type = KSTAT_DATA_UINT64;
    ks->ks_ndata--;
    CHECK(FAILS(kstat_write(kc, ks, NULL), EINVAL));
    ks->ks_ndata++;
    ks->ks_data_size--;
    CHECK(FAILS(kstat_write(kc, ks, NULL), EINVAL));
    ks->ks_data_size++;
    record[0].value.ui64 = 14;
    KSTAT_NAMED_STR_PTR(&record[2]) = outside;
    CHECK(FAILS(kstat_write(kc, ks, NULL), EINVAL));
    KSTAT_NAMED_STR_PTR(&record[2]) = KERNEL;
    CHECK(FAILS(kstat_write(kc, ks, NULL), EINVAL));
    ks->ks_data = KERNEL;
    CHECK(FAILS(kstat_write(kc, ks, NULL), EFAULT));
    ks->ks_data = record;
    CHECK(setuid(1000) == 0);
    CHECK(FAILS(kstat_write(kc, ks, NULL), EPERM));
    check_written(0x123456789abcdef0, -5, "second");
    kstat_close(kc);
}

static void test_strings(void)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *ks = kstat_lookup(kc, "cpu_info", 0, NULL);
    kstat_named_t *state;

    CHECK(ks != NULL && kstat_read(kc, ks, NULL) >= 0);
    state = kstat_data_lookup(ks, "state");
    CHECK(state != NULL && state->data_type == KSTAT_DATA_STRING);
    CHECK(KSTAT_NAMED_STR_BUFLEN(state) == sizeof "on-line");
    CHECK(strcmp(KSTAT_NAMED_STR_PTR(state), "on-line") == 0);
    kstat_close(kc);
}

/* A child that counts has kstats of its own, as long as it lives. */
static void chain_child(int ready, int go)
{
    char byte = 0;
    int ctr;

    CHECK(FAILS(pmc_configure_counter(pmc_get_num_counters(), "context-switches", 0, 0), EINVAL));
    CHECK(FAILS(pmc_configure_counter(-1, "context-switches", 0, 0), EINVAL));
    for (ctr = 0; ctr < pmc_get_num_counters(); ctr++)
        if (pmc_configure_counter(ctr, "context-switches", 0, 0) == 0)
            break;
    CHECK(ctr < pmc_get_num_counters() && pmc_start_counter(ctr) == 0);
    CHECK(write(ready, &byte, 1) == 1);
    CHECK(read(go, &byte, 1) == 0);
    exit(0);
}

static void test_chain(void)
{
    kstat_ctl_t *kc = kstat_open(), *other;
    kstat_t *first = kc->kc_chain, *old = kstat_lookup(kc, "unix", 0, "kstat_types"), *new;
    int ready[2], go[2], status;
    kid_t before = kc->kc_chain_id, after;
    void *data;
    char byte;

    CHECK(kstat_read(kc, old, NULL) >= 0);
    data = old->ks_data;
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    if (fork() == 0) {
        close(go[1]);
        chain_child(ready[1], go[0]);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    after = kstat_chain_update(kc);
    CHECK(after > before && kc->kc_chain_id == after && kstat_chain_update(kc) == 0);
    CHECK(kc->kc_chain == first && kstat_lookup(kc, "unix", 0, "kstat_types") == old);
    CHECK(old->ks_data == data);
    for (new = kc->kc_chain; new != NULL; new = new->ks_next)
        if (strcmp(new->ks_module, "pmc") == 0 && new->ks_kid >= before)
            break;
    CHECK(new != NULL &&new->ks_data == NULL);
    CHECK(kstat_read(kc, new, NULL) == after && new->ks_ndata > 0);
    close(go[1]);
    CHECK(wait(&status) > 0 && status == 0);
    /* Another reader sees that it has gone; this one is told when it reads. */
    other = kstat_open();
    CHECK(other->kc_chain_id > after);
    CHECK(FAILS(kstat_read(kc, new, NULL), ENXIO));
    CHECK(kstat_read(kc, old, NULL) == other->kc_chain_id);
    CHECK(kstat_chain_update(kc) == other->kc_chain_id);
    for (kstat_t *ks = kc->kc_chain; ks != NULL; ks = ks->ks_next)
        CHECK(ks != new);
    kstat_close(other);
    kstat_close(kc);
}

/* Everything read, again and again. */
static void test_loop(int turns)
{
    for (int i = 0; i < turns; i++) {
        kstat_ctl_t *kc = kstat_open();

        CHECK(kc != NULL);
        for (kstat_t *ks = kc->kc_chain; ks != NULL && i % 50 == 0; ks = ks->ks_next)
            CHECK(kstat_read(kc, ks, NULL) >= 0 || errno == ENXIO);
        CHECK(kstat_read(kc, kc->kc_chain, NULL) >= 0);
        kstat_close(kc);
    }
}

static void test_sysctl(void)
{
    char name[64];
    size_t size = sizeof name, need = 0;
    int cpus = 0;

    CHECK(sysctlbyname("kern.hostname", name, &size, "other", 5) == 0);
    CHECK(strcmp(name, "quipu") == 0 && size == sizeof "quipu");
    size = sizeof name;
    CHECK(sysctlbyname("kern.hostname", name, &size, "quipu", 5) == 0 &&
          strcmp(name, "other") == 0);
    size = 3;
    memset(name, 'x', sizeof name);
    CHECK(FAILS(sysctlbyname("kern.hostname", name, &size, NULL, 0), ENOMEM));
    CHECK(size == sizeof "quipu" && memcmp(name, "quixx", 5) == 0);
    CHECK(sysctlbyname("kern.hostname", NULL, &need, NULL, 0) == 0 && need == sizeof "quipu");
    size = sizeof cpus;
    CHECK(sysctlbyname("hw.ncpu", &cpus, &size, NULL, 0) == 0);
    CHECK(cpus == sysconf(_SC_NPROCESSORS_ONLN) && size == sizeof cpus);
    size = sizeof name;
    CHECK(FAILS(sysctlbyname("no.such", name, &size, NULL, 0), ENOENT));
    CHECK(FAILS(sysctlbyname("kern", name, &size, NULL, 0), EISDIR));
    CHECK(FAILS(sysctlbyname("hw.ncpu", NULL, NULL, &cpus, sizeof cpus), EPERM));
    CHECK(FAILS(sysctlbyname("kern.hostname", NULL, NULL, name, 1 << 20), EINVAL));
    CHECK(FAILS(sysctlbyname(KERNEL, name, &size, NULL, 0), EFAULT));
    CHECK(FAILS(sysctlbyname("kern.hostname", KERNEL, &size, NULL, 0), EFAULT));
    CHECK(FAILS(sysctlbyname("kern.hostname", NULL, NULL, KERNEL, 4), EFAULT));
}

/* kern.evcnt: the calls that this program makes, between two reports. */
static uint64_t evcnt_of(const char *group, const char *name)
{
    size_t size = 0;
    char *report, *at;
    uint64_t count = 0;

    CHECK(sysctlbyname("kern.evcnt", NULL, &size, NULL, 0) == 0);
    report = malloc(size += 4096);
    CHECK(sysctlbyname("kern.evcnt", report, &size, NULL, 0) == 0);
    for (at = report; at < report + size; at += ((struct evcnt_sysctl *)at)->ev_len * 8) {
        const struct evcnt_sysctl *record = (struct evcnt_sysctl *)at;

        CHECK(record->ev_len > 0);
        if (strcmp(evcnt_export_group(record), group) == 0 &&
            strcmp(evcnt_export_name(record), name) == 0)
            count = record->ev_count;
    }
    free(report);
    return count;
}

static void test_evcnt(void)
{
    uint64_t before;

    getppid();
    before = evcnt_of("syscall", "getppid");
    for (int i = 0; i < 100; i++)
        getppid();
    CHECK(evcnt_of("syscall", "getppid") == before + 100);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "errors") == 0)
        test_errors();
    else if (strcmp(word, "library") == 0)
        test_library_errors();
    else if (strcmp(word, "strings") == 0)
        test_strings();
    else if (strcmp(word, "write") == 0)
        test_write();
    else if (strcmp(word, "chain") == 0)
        test_chain();
    else if (strcmp(word, "loop") == 0)
        test_loop(atoi(argv[2]));
    else if (strcmp(word, "sysctl") == 0)
        test_sysctl();
    else if (strcmp(word, "evcnt") == 0)
        test_evcnt();
    else
        return 2;
    puts("ok");
    return 0;
}
