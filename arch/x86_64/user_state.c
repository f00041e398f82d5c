/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program keeps in the CPU besides the registers of its frame: x87, SSE and whatever else
 * XSAVE knows and the CPU has (Intel SDM volume 1, chapter 13), or FXSAVE where there is no XSAVE;
 * and the bases of FS and GS, which only the kernel can set: they are written, never read back.
 */
#include <arch/user.h>
#include <arch/cpu.h>
#include "arch/x86_64/user.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"

#define CR0_MP        0x2ul
#define CR0_EM        0x4ul
#define CR0_TS        0x8ul
#define CR0_NE        0x20ul
#define CR4_FXSR      0x200ul
#define CR4_XMMEXCPT  0x400ul
#define CR4_XSAVE     0x40000ul
#define FEATURE_XSAVE (1u << 26) /* CPUID 1 ECX */
#define COMPONENTS    0xe7u      /* of XCR0: x87, SSE, AVX, and AVX-512's three */
#define FXSAVE_SIZE   512u
#define ALIGNMENT     64u
#define FCW           0     /* offsets in the area, which FXSAVE and XSAVE share */
#define FCW_BEGIN     0x37f /* as after FNINIT */
#define MXCSR         24
#define MXCSR_BEGIN   0x1f80u
#define MXCSR_BITS    0xffffu /* others must be 0 */
#define HEADER                                                                                     \
    512u /* of XSAVE's area, 64 bytes; the first word says what is not as at the beginning */
#define HEADER_SIZE 64u
#define LEGACY      3u /* x87, SSE */

struct user_state {
    uint64_t fs_base, gs_base;
    char *area; /* in this block, aligned */
};

static uint32_t area_size = FXSAVE_SIZE, components;
static bool with_xsave;

void user_state_boot(void)
{
    uint64_t cr0, cr4;
    uint32_t features[4];

    __asm__ volatile("movq %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movq %0, %%cr0" : : "r"((cr0 & ~(CR0_EM | CR0_TS)) | CR0_MP | CR0_NE));
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    cpuid(1, features);
    cr4 |= CR4_FXSR | CR4_XMMEXCPT;
    if (features[2] & FEATURE_XSAVE)
        cr4 |= CR4_XSAVE;
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4));
    if (!(features[2] & FEATURE_XSAVE))
        return;
    cpuid(13, features);
    components = features[0] & COMPONENTS;
    __asm__ volatile("xsetbv" : : "a"(components), "d"(0), "c"(0));
    cpuid(13, features);
    with_xsave = true;
    area_size = features[1]; /* for what XCR0 says now */
}

struct user_state *user_state_create(void)
{
    size_t size = sizeof(struct user_state) + ALIGNMENT + area_size;
    struct user_state *state = kmem_alloc(size);

    if (state) {
        state->area =
            (char *)(((uintptr_t)(state + 1) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
        user_state_reset(state);
    }
    return state;
}

void user_state_reset(struct user_state *state)
{
    state->fs_base = state->gs_base = 0;
    memset(state->area, 0, area_size);
    *(uint16_t *)(state->area + FCW) = FCW_BEGIN;
    *(uint32_t *)(state->area + MXCSR) = MXCSR_BEGIN;
}

void user_state_free(struct user_state *state)
{
    kmem_free(state);
}

void user_state_copy(struct user_state *to, const struct user_state *from)
{
    to->fs_base = from->fs_base;
    to->gs_base = from->gs_base;
    memcpy(to->area, from->area, area_size);
}

void user_state_set_tls(struct user_state *state, uint64_t base)
{
    state->fs_base = base;
}

uint64_t user_state_tls(const struct user_state *state)
{
    return state->fs_base;
}

const void *user_state_area(const struct user_state *state, size_t *size)
{
    *size = area_size;
    return state->area;
}

/* XRSTOR of anything else in MXCSR and the header is an exception. */
bool user_state_set_area(struct user_state *state, const void *area, size_t size)
{
    bool whole = size >= area_size;

    if (size < FXSAVE_SIZE)
        return false;
    memset(state->area, 0, area_size);
    memcpy(state->area, area, whole ? area_size : FXSAVE_SIZE);
    *(uint32_t *)(state->area + MXCSR) &= MXCSR_BITS;
    if (area_size > FXSAVE_SIZE) {
        uint64_t *header = (uint64_t *)(state->area + HEADER);
        uint64_t present = whole ? header[0] & components : LEGACY;

        memset(header, 0, HEADER_SIZE);
        header[0] = present;
    }
    return true;
}

uint64_t user_state_features(void)
{
    return components;
}

void user_state_save(struct user_state *state)
{
    if (with_xsave)
        __asm__ volatile("xsave64 (%0)" : : "r"(state->area), "a"(-1), "d"(-1) : "memory");
    else
        __asm__ volatile("fxsave64 (%0)" : : "r"(state->area) : "memory");
}

void user_state_load(const struct user_state *state)
{
    if (with_xsave)
        __asm__ volatile("xrstor64 (%0)" : : "r"(state->area), "a"(-1), "d"(-1) : "memory");
    else
        __asm__ volatile("fxrstor64 (%0)" : : "r"(state->area) : "memory");
    msr_write(MSR_FS_BASE, state->fs_base);
    msr_write(MSR_KERNEL_GS_BASE, state->gs_base);
}
