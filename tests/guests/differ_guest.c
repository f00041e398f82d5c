/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /init of a Linux guest on a PC: executes random instructions that make and use flags, with cpuid
 * among them, and prints a sum of all registers, flags and memory behind each. Where there are perf
 * events, each stream runs with interrupts of several periods and with rdpmc in it: its sum has to
 * be the same. The test compares what is printed with and without the plugin.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STREAMS 400u
#define LENGTH  120u /* instructions of a stream */
#define TURNS   20u  /* of a stream, from the same state on */
#define WORDS   16u  /* of memory that they reach */

/* The memory; then rax, rcx, rdx, rbx, rbp, rsi, rdi, r8 to r14, to which r15 points, and flags. */
enum { REGISTERS = 14, FLAGS = WORDS + REGISTERS, ALL };
static uint64_t state[ALL] __attribute__((aligned(64)));
static unsigned char *code, *end;
static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % below;
}

static void put(const void *bytes, size_t length)
{
    memcpy(end, bytes, length);
    end += length;
}

static void put_byte(unsigned byte)
{
    *end++ = (unsigned char)byte;
}

/* A register's number, but rsp and r15. */
static unsigned any(void)
{
    static const unsigned char numbers[REGISTERS] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

    return numbers[draw(REGISTERS)];
}

/* OPCODE with a 64-bit (or 32-bit) operand: a register, or memory that r15 points to. */
static void modrm(unsigned map, unsigned opcode, unsigned reg, int memory)
{
    unsigned rm = memory ? 15 : any();

    put_byte(0x40 | (draw(4) ? 8 : 0) | reg >> 3 << 2 | rm >> 3);
    if (map)
        put_byte(0x0f);
    put_byte(opcode);
    put_byte((memory ? 0x40 : 0xc0) | (reg & 7) << 3 | (rm & 7));
    if (memory)
        put_byte(256 - 8 * (1 + draw(WORDS)));
}

/* None of bt and its like: what flags QEMU leaves where the manual leaves them undefined depends on
 * where its blocks begin, which interrupts change, without a plugin, too. */
static void put_random(void)
{
    static const unsigned char shifts[] = {0, 1, 2, 3, 4, 5, 7};
    unsigned cc = draw(16);

    switch (draw(16)) {
    case 0:
    case 1:
    case 2:
    case 3: /* add or adc sbb and sub xor cmp */
        modrm(0, draw(8) << 3 | (draw(2) ? 3 : 1), any(), draw(3) == 0);
        break;
    case 4: /* the same with a constant */
        modrm(0, 0x83, draw(8), draw(3) == 0);
        put_byte(draw(256));
        break;
    case 5: /* rol ror rcl rcr shl shr sar */
        modrm(0, 0xc1, shifts[draw(7)], 0);
        put_byte(draw(64));
        break;
    case 6: /* inc dec */
        modrm(0, 0xff, draw(2), draw(3) == 0);
        break;
    case 7: /* not neg mul imul */
        modrm(0, 0xf7, 2 + draw(4), 0);
        break;
    case 8:
        modrm(1, 0x40 | cc, any(), draw(3) == 0); /* cmov */
        break;
    case 9:
        modrm(1, 0x90 | cc, 0, 0); /* set */
        break;
    case 10:
        modrm(1, 0xaf, any(), draw(3) == 0); /* imul */
        break;
    case 11:
        modrm(1, draw(2) ? 0xb6 : 0xbf, any(), 0); /* movzx, movsx */
        break;
    case 12:
        modrm(0, 0x85, any(), draw(3) == 0); /* test */
        break;
    case 13: /* a branch over one instruction */
        put_byte(0x70 | cc);
        put_byte(4);
        put("\x48\x83\xd1\x05", 4); /* adc $5,%rcx */
        break;
    case 14:
        put_byte("\xf5\xf8\xf9\x98"[draw(4)]); /* cmc clc stc cwde */
        break;
    default:
        modrm(0, draw(2) ? 0x89 : 0x8b, any(), 1); /* mov */
    }
}

/* COUNTS: with an rdpmc of counter WHICH, whose results are then overwritten, as where it is left
 * out. */
static void put_special(unsigned what, int counts, uint32_t which)
{
    static const unsigned char leaves[] = {0, 2, 10};

    if (what < 3) {
        put_byte(0xb8); /* mov $,%eax */
        put((uint32_t[]){leaves[what]}, 4);
        put("\xb9\0\0\0\0\x0f\xa2", 7); /* mov $0,%ecx; cpuid */
    } else {
        put_byte(0xb9);
        put(&which, 4);
        if (counts)
            put("\x0f\x33", 2);
    }
    if (what >= 2) /* the plugin's results: mov $7,%eax, %ebx, %ecx, %edx */
        for (unsigned i = 0; i < 4; i++) {
            put_byte(0xb8 | i);
            put((uint32_t[]){7}, 4);
        }
}

static void make(unsigned number, int counts, uint32_t which)
{
    seed = number * 0x9e3779b97f4a7c15ull + 1;
    end = code;
    for (unsigned i = 0; i < LENGTH; i++) {
        put_random();
        if (draw(8) == 0)
            put_special(draw(4), counts, which);
    }
    put_byte(0xc3);
}

/* What is below the stack pointer is the compiler's. */
static void execute(void)
{
    __asm__ volatile(
        "sub $128,%%rsp\n push %%rbp\n push %%rbx\n mov %0,%%r15\n mov %1,%%rax\n push %%rax\n"
        "push 14*8(%%r15)\n popf\n"
        "mov (%%r15),%%rax\n mov 8(%%r15),%%rcx\n mov 16(%%r15),%%rdx\n mov 24(%%r15),%%rbx\n"
        "mov 32(%%r15),%%rbp\n mov 40(%%r15),%%rsi\n mov 48(%%r15),%%rdi\n mov 56(%%r15),%%r8\n"
        "mov 64(%%r15),%%r9\n mov 72(%%r15),%%r10\n mov 80(%%r15),%%r11\n mov 88(%%r15),%%r12\n"
        "mov 96(%%r15),%%r13\n mov 104(%%r15),%%r14\n"
        "call *(%%rsp)\n"
        "mov %%rax,(%%r15)\n mov %%rcx,8(%%r15)\n mov %%rdx,16(%%r15)\n mov %%rbx,24(%%r15)\n"
        "mov %%rbp,32(%%r15)\n mov %%rsi,40(%%r15)\n mov %%rdi,48(%%r15)\n mov %%r8,56(%%r15)\n"
        "mov %%r9,64(%%r15)\n mov %%r10,72(%%r15)\n mov %%r11,80(%%r15)\n mov %%r12,88(%%r15)\n"
        "mov %%r13,96(%%r15)\n mov %%r14,104(%%r15)\n"
        "pushf\n pop 14*8(%%r15)\n"
        "pop %%rax\n pop %%rbx\n pop %%rbp\n add $128,%%rsp\n"
        :
        : "r"(state + WORDS), "r"(code)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "memory", "cc");
}

/* Everything that the stream leaves behind, turn by turn. */
static uint64_t sum(unsigned number)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < ALL; i++)
        state[i] = (i + 1) * 0xbf58476d1ce4e5b9ull ^ (uint64_t)number << (i & 31);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        state[FLAGS] &= 0x8d5; /* the arithmetic flags: CF PF AF ZF SF OF */
        execute();
        for (unsigned i = 0; i < ALL; i++)
            all =
                (all ^ (i == FLAGS ? state[i] & 0x8d5 : state[i])) * 0x100000001b3ull + (all >> 29);
    }
    return all;
}

static int open_event(uint64_t period)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(attr),
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .sample_period = period,
        .sample_type = period ? PERF_SAMPLE_IP : 0,
        .exclude_kernel = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* How many of the sums are others than SUMS under interrupts each PERIOD instructions. */
static unsigned differ(const uint64_t *sums, uint64_t period, uint32_t which)
{
    int fd = open_event(period);
    unsigned wrong = 0;

    for (unsigned number = 0; number < STREAMS; number++) {
        make(number, 1, which);
        if (sum(number) != sums[number]) {
            printf("other %u\n", number);
            wrong++;
        }
    }
    close(fd);
    return wrong;
}

int main(void)
{
    static const uint64_t periods[] = {10007, 1009, 101, 37};
    static uint64_t sums[STREAMS];
    struct perf_event_mmap_page *page;
    int console = open("/dev/console", O_RDWR), counter;

    dup2(console, 0);
    dup2(console, 1);
    dup2(console, 2);
    code =
        mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mkdir("/proc", 0755);
    mount("none", "/proc", "proc", 0, NULL);
    for (unsigned number = 0; number < STREAMS; number++) {
        make(number, 0, 0);
        sums[number] = sum(number);
        printf("stream %u %016llx\n", number, (unsigned long long)sums[number]);
    }
    counter = open_event(0);
    if (counter >= 0) {
        page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, counter, 0);
        for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
            printf("wrong.%u %u\n", i, differ(sums, periods[i], page->index - 1));
    }
    puts("guest done");
    fflush(stdout);
    reboot(RB_AUTOBOOT);
    return 0;
}
