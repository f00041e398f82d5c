/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that translated code adds to. Version 1 of QEMU's plugin interface adds to an address that
 * all CPUs share, so it serves one CPU; later ones keep a scoreboard, with an element for each CPU,
 * which QEMU moves when CPUs are added and all translations are forgotten. Where neither will do,
 * a call adds.
 */
#include "tools/qpmu/qemu/abi.h"

#include <pthread.h>
#include <stdlib.h>

#define MAX_WORDS 4u
#define MAX_CPUS  256u
#define MAX_CALLS 64u

struct word {
    uint64_t value[EMU_WORDS];
} __attribute__((aligned(64))); /* a line of the host's cache, so that CPUs do not share one */

struct emu_words {
    struct qemu_plugin_scoreboard *score;
    struct word of[MAX_CPUS]; /* where calls add; the first one where there is one CPU */
};

static struct emu_words words_all[MAX_WORDS];
static unsigned words_count;

struct emu_words *emu_words_new(void)
{
    struct emu_words *words = words_count < MAX_WORDS ? &words_all[words_count++] : NULL;

    if (!words)
        abort();
    if (emu.api >= 2)
        words->score = qemu_plugin_scoreboard_new(sizeof(struct word));
    return words;
}

static bool is_scored(const struct emu_words *words)
{
    return words->score && !emu.shared_thread;
}

uint64_t *emu_word_of(struct emu_words *words, unsigned cpu)
{
    return is_scored(words) ? qemu_plugin_scoreboard_find(words->score, cpu)
                            : words->of[cpu % MAX_CPUS].value;
}

/* What a call adds: there are few different ones, and they stay. */
struct added {
    struct emu_words *words;
    unsigned which;
    uint64_t n;
};

static struct added *added_of(struct emu_words *words, unsigned which, uint64_t n)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct added all[MAX_CALLS];
    static unsigned count;
    unsigned i = 0;

    pthread_mutex_lock(&lock);
    while (i < count && (all[i].words != words || all[i].which != which || all[i].n != n))
        i++;
    if (i == MAX_CALLS)
        abort();
    if (i == count)
        all[count++] = (struct added){words, which, n};
    pthread_mutex_unlock(&lock);
    return &all[i];
}

static void add(unsigned cpu, void *arg)
{
    const struct added *added = arg;

    added->words->of[emu_cpu(cpu) % MAX_CPUS].value[added->which] += added->n;
}

static void add_accessed(unsigned cpu, emu_access access, uint64_t address, void *arg)
{
    (void)access;
    (void)address;
    add(cpu, arg);
}

static qemu_plugin_u64 scored(const struct emu_words *words, unsigned which)
{
    return (qemu_plugin_u64){words->score, which * sizeof(uint64_t)};
}

void emu_add_insn(struct qemu_plugin_insn *insn, struct emu_words *words, unsigned which,
                  uint64_t n)
{
    if (is_scored(words))
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64,
                                                            scored(words, which), n);
    else if (emu.cpus == 1)
        qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
                                                   &words->of[0].value[which], n);
    else
        emu_call_insn(insn, add, added_of(words, which, n));
}

void emu_add_access(struct qemu_plugin_insn *insn, enum emu_which accesses, struct emu_words *words,
                    unsigned which, uint64_t n)
{
    if (is_scored(words))
        qemu_plugin_register_vcpu_mem_inline_per_vcpu(
            insn, (int)accesses, QEMU_PLUGIN_INLINE_ADD_U64, scored(words, which), n);
    else if (emu.cpus == 1)
        qemu_plugin_register_vcpu_mem_inline(insn, (int)accesses, QEMU_PLUGIN_INLINE_ADD_U64,
                                             &words->of[0].value[which], n);
    else
        emu_call_access(insn, accesses, add_accessed, added_of(words, which, n));
}

bool emu_enters_inline(const struct emu_words *words)
{
    return emu.api >= 3 && qemu_plugin_register_vcpu_tb_exec_cond_cb && is_scored(words);
}

void emu_call_block_from(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                         uint64_t least, emu_call *call, void *arg)
{
    qemu_plugin_register_vcpu_tb_exec_cond_cb(block, call, NO_REGISTERS, QEMU_PLUGIN_COND_GE,
                                              scored(words, which), least, arg);
}

void emu_call_block_below(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                          uint64_t limit, emu_call *call, void *arg)
{
    qemu_plugin_register_vcpu_tb_exec_cond_cb(block, call, NO_REGISTERS, QEMU_PLUGIN_COND_LT,
                                              scored(words, which), limit, arg);
}

void emu_call_insn_if(struct qemu_plugin_insn *insn, struct emu_words *words, unsigned which,
                      emu_call *call, void *arg)
{
    if (is_scored(words))
        qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, call, WRITES_PC, QEMU_PLUGIN_COND_GE,
                                                    scored(words, which), 1, arg);
    else
        emu_call_writing(insn, call, arg);
}

void emu_add_block(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                   uint64_t n)
{
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                      scored(words, which), n);
}

void emu_store_block(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                     uint64_t value)
{
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_STORE_U64,
                                                      scored(words, which), value);
}
