/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random instructions on a Malta that knows nothing of qpmu: branches with all kinds of delay
 * slots, accesses of all sizes, HI and LO, and among them the registers that the plugin answers. It
 * prints a sum of all registers and memory behind each stream; then each stream runs with a counter
 * that interrupts, of several periods, and its sum has to be the same. The test compares what is
 * printed with and without the plugin.
 */
#include "tests/qemu/qpmu/malta.h"

#define STREAMS 400u
#define LENGTH  120u /* instructions of a stream, without those that follow a special one */
#define TURNS   8u   /* of a stream, from the same state on */
#define WORDS   16u  /* of memory that they reach, below where $30 points */

#define INTERRUPTS   0x9081u    /* Status: KX, pins 4 and 7, IE */
#define STOPPED      (1u << 27) /* Cause: DC, the timer stands still */
#define INSTRUCTIONS 1u         /* of the 24K */
#define ENABLE_INT   (1u << 4)

/* The memory; then what $1 to $25 hold, each at its number, and HI and LO. */
enum { ZERO = WORDS, HI = WORDS + 26, LO, ALL };
static uint64_t state[ALL] __attribute__((aligned(64)));
static uint64_t sums[STREAMS];
static unsigned end_of_code;
static uint64_t seed;
volatile uint64_t taken;
volatile uint32_t preset;
uint32_t code[LENGTH * 6] __attribute__((aligned(64)));

extern const char interrupted[], interrupted_end[];
void execute(uint64_t *registers);

#define EACH "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25"
__asm__(".section .text\n .set push\n .set noreorder\n .set noat\n"
        "interrupted: mfc0 $26, $13\n andi $26, $26, 0x7c\n bnez $26, 1f\n"
        "   lui $26, %hi(preset)\n lw $27, %lo(preset)($26)\n mtc0 $27, $25, 1\n"
        "   lui $26, %hi(taken)\n ld $27, %lo(taken)($26)\n daddiu $27, $27, 1\n"
        "   sd $27, %lo(taken)($26)\n ehb\n eret\n"
        "1: j exception\n nop\n"
        "interrupted_end:\n"
        ".globl execute\n"
        "execute: daddiu $29, $29, -80\n"
        "   .irp r,16,17,18,19,20,21,22,23\n sd $\\r, 8*(\\r-16)($29)\n .endr\n"
        "   sd $30, 64($29)\n sd $31, 72($29)\n move $30, $4\n"
        "   ld $1, 8*26($30)\n mthi $1\n ld $1, 8*27($30)\n mtlo $1\n"
        "   .irp r," EACH "\n ld $\\r, 8*\\r($30)\n .endr\n"
        "   jal code\n nop\n"
        "   .irp r," EACH "\n sd $\\r, 8*\\r($30)\n .endr\n"
        "   mfhi $1\n sd $1, 8*26($30)\n mflo $1\n sd $1, 8*27($30)\n"
        "   .irp r,16,17,18,19,20,21,22,23\n ld $\\r, 8*(\\r-16)($29)\n .endr\n"
        "   ld $30, 64($29)\n ld $31, 72($29)\n jr $31\n daddiu $29, $29, 80\n .set pop\n");

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % below;
}

static void put(uint32_t instruction)
{
    code[end_of_code++] = instruction;
}

static uint32_t any(void)
{
    return 1 + draw(25);
}

/* Registers in the fields rs, rt and rd. */
static uint32_t fields(void)
{
    return any() << 21 | any() << 16 | any() << 11;
}

/* An access of SIZE bytes: OPCODE and the register, aligned, but for the halves of one (lwl ...).
 */
static uint32_t access(uint32_t opcode, unsigned size)
{
    uint32_t offset = draw(8 * WORDS / size) * size;

    return opcode << 26 | 30u << 21 | any() << 16 | (uint16_t)(offset - 8 * WORDS);
}

/* Those of `special` that have to be 0 in FUNCTION. */
static uint32_t no_fields(unsigned function)
{
    if (function == 17 || function == 19) /* mthi mtlo */
        return 0x1ff800;
    return (function & 0x38) == 0x18 ? 0xf800 : 0; /* mult ... */
}

/* None that transfers control, and none that may fault. ll and sc depend on interrupts. */
static uint32_t plain(void)
{
    /* sllv srlv srav movz movn mthi mtlo dsllv dsrlv dsrav mult multu dmult dmultu addu subu and or
     * xor nor slt sltu daddu dsubu */
    static const uint8_t special[] = {4,  6,  7,  10, 11, 17, 19, 20, 22, 23, 24, 25,
                                      28, 29, 33, 35, 36, 37, 38, 39, 42, 43, 45, 47};
    static const uint8_t shifts[] = {0, 2, 3, 56, 58, 59, 60, 62, 63};
    static const uint8_t counts[] = {32, 33, 36, 37};
    static const uint8_t constants[] = {9, 10, 11, 12, 13, 14, 15, 25}; /* addiu ... lui daddiu */
    static const struct {
        uint8_t opcode, size;
    } accesses[] = {{32, 1}, {36, 1}, {33, 2}, {37, 2}, {35, 4}, {39, 4}, {55, 8},
                    {34, 1}, {38, 1}, {26, 1}, {27, 1}, {40, 1}, {41, 2}, {43, 4},
                    {63, 8}, {42, 1}, {46, 1}, {44, 1}, {45, 1}};
    unsigned which;

    switch (draw(8)) {
    case 0:
    case 1:
        which = special[draw(sizeof(special))];
        return (fields() & ~no_fields(which)) | which;
    case 2: /* sll ... dsra32 */
        return any() << 16 | any() << 11 | draw(32) << 6 | shifts[draw(sizeof(shifts))];
    case 3:
        return (uint32_t)constants[draw(sizeof(constants))] << 26 | (fields() & ~0xffffu) |
               (uint16_t)draw(65536);
    case 4:
    case 5:
        which = draw(sizeof(accesses) / sizeof(accesses[0]));
        return access(accesses[which].opcode, accesses[which].size);
    case 6: /* mfhi mflo */
        return any() << 11 | (draw(2) ? 16 : 18);
    default: /* mul clz clo dclz dclo */
        which = draw(5);
        return 28u << 26 | fields() | (which == 0 ? 2 : counts[which - 1]);
    }
}

/* Over one instruction, taken or not, with a delay slot, that counts only if it is taken or not. */
static void branch(void)
{
    static const uint8_t opcodes[] = {4, 5, 6, 7, 20, 21, 22, 23}; /* beq bne blez bgtz; likely */
    uint32_t opcode = opcodes[draw(sizeof(opcodes))];
    uint32_t second = (opcode & 3) < 2 ? any() << 16 : 0;

    if (draw(4) == 0) /* bltz bgez bltzl bgezl */
        opcode = 1, second = draw(4) << 16;
    put(opcode << 26 | any() << 21 | second | 2);
    put(plain());
    put(plain());
}

/* What the plugin answers, whose results are then overwritten: mfc0 of register 25, Config1,
 * IntCtl and Cause; or mtc0 of the second counter. */
static void special(void)
{
    static const uint16_t registers[] = {25 << 11,     25 << 11 | 1, 25 << 11 | 2, 25 << 11 | 3,
                                         16 << 11 | 1, 12 << 11 | 1, 13 << 11};
    uint32_t rt = any();

    if (draw(4) == 0) {
        put(16u << 26 | 4u << 21 | rt << 16 | 25 << 11 | 3);
        return;
    }
    put(16u << 26 | rt << 16 | registers[draw(sizeof(registers) / sizeof(registers[0]))]);
    put(9u << 26 | rt << 16 | 7); /* addiu rt, $0, 7 */
}

static void make(unsigned number_)
{
    seed = number_ * 0x9e3779b97f4a7c15ull + 1;
    end_of_code = 0;
    for (unsigned i = 0; i < LENGTH; i++) {
        if (draw(5) == 0)
            branch();
        else if (draw(8) == 0)
            special();
        else
            put(plain());
    }
    put(31u << 21 | 8); /* jr $31 */
    put(plain());
    for (unsigned i = 0; i < sizeof(code); i += 16)
        __asm__ volatile("synci 0(%0)" : : "r"((char *)code + i) : "memory");
    __asm__ volatile("sync" : : : "memory");
}

/* Everything that the stream leaves behind, turn by turn. */
static uint64_t sum(unsigned number_)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < ALL; i++)
        state[i] = (i + 1) * 0xbf58476d1ce4e5b9ull ^ (uint64_t)number_ << (i & 31);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        execute(state + ZERO);
        for (unsigned i = 0; i < ALL; i++)
            all = i == ZERO ? all : (all ^ state[i]) * 0x100000001b3ull + (all >> 29);
    }
    return all;
}

/* How many of the sums are others with an interrupt each PERIOD instructions. */
static unsigned differ(uint32_t period)
{
    unsigned wrong = 0;

    taken = 0;
    preset = 0x80000000u - period;
    __asm__ volatile("mtc0 %0, $25, 1\n mtc0 %1, $25, 0\n mtc0 %2, $12\n ehb"
                     :
                     : "r"((int64_t)(int32_t)preset), "r"(INSTRUCTIONS << 5 | ENABLE_INT | K),
                       "r"(INTERRUPTS)
                     : "memory");
    for (unsigned i = 0; i < STREAMS; i++) {
        make(i);
        wrong += sum(i) != sums[i];
    }
    __asm__ volatile("mtc0 %0, $12\n mtc0 $0, $25, 0\n ehb" : : "r"(0x80) : "memory");
    return wrong;
}

/* None of the instructions may raise one. */
void exception(void)
{
    uint64_t where, cause;

    __asm__ volatile("dmfc0 %0, $14\n mfc0 %1, $13" : "=r"(where), "=r"(cause));
    tell("exception", where, cause & 0x7c, 0, 0);
    end();
}

void guest(void)
{
    static const uint32_t periods[] = {10007, 1009, 101, 37};

    copy(0xffffffff80000180, interrupted, interrupted_end);
    __asm__ volatile("mtc0 %0, $12\n mtc0 %1, $13\n ehb" : : "r"(0x80), "r"(STOPPED));
    for (unsigned i = 0; i < STREAMS; i++) {
        make(i);
        sums[i] = sum(i);
        say("stream", sums[i]);
    }
    for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
        say("wrong", differ(periods[i]));
        say("taken", taken);
    }
    end();
}
