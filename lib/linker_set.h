/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linker sets: tables that the linker gathers from files which know nothing of one another.
 *
 * LINKER_SET_ADD(set, object) in any file adds the address of a static object to SET;
 * LINKER_SET_FOREACH(var, set) visits every member, in link order. A set stores pointers,
 * because the padding between structures in a section is the linker's to choose. An empty set is
 * legal: the bounds are weak. Linker scripts keep the sections with KEEP(*(link_set_*)).
 *
 * This is not a way to order things: what has an order is a list of calls in a function.
 */
#ifndef LIB_LINKER_SET_H
#define LIB_LINKER_SET_H

#define LINKER_SET_PASTE2(a, b) a##b
#define LINKER_SET_PASTE(a, b)  LINKER_SET_PASTE2(a, b)

/* OBJECT is an lvalue of static storage; at file scope, followed by a semicolon. */
#define LINKER_SET_ADD(set, object)                                                                \
    static const void *const LINKER_SET_PASTE(link_set_##set##_member_, __COUNTER__)               \
        __attribute__((section("link_set_" #set), used)) = &(object)

/* At file scope in the file that walks the set. */
#define LINKER_SET_DECLARE(set)                                                                    \
    extern const void *const __start_link_set_##set[] __attribute__((weak));                       \
    extern const void *const __stop_link_set_##set[] __attribute__((weak))

/* The bounds, for walks that are not plain loops. */
#define LINKER_SET_BEGIN(set) (&__start_link_set_##set[0])
#define LINKER_SET_END(set)   (&__stop_link_set_##set[0])

/* VAR is a `const void *const *` declared by the loop: `*VAR` is a member. */
#define LINKER_SET_FOREACH(var, set)                                                               \
    for (const void *const *var = LINKER_SET_BEGIN(set); var != LINKER_SET_END(set); var++)

/* The member that a loop variable stands at, as a pointer to TYPE. */
#define LINKER_SET_MEMBER(var, type) ((type *)(unsigned long)*(var))

#endif
