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
    static __typeof__(&(object)) const LINKER_SET_PASTE(link_set_##set##_member_, __COUNTER__)     \
        __attribute__((section("link_set_" #set), used)) = &(object)

/* The bounds, as `const void *const *`: equal for an empty set. */
#define LINKER_SET_BEGIN(set)                                                                      \
    (__extension__({                                                                               \
        extern const void *const __start_link_set_##set[] __attribute__((weak));                   \
        (const void *const *)(unsigned long)__start_link_set_##set;                                \
    }))
#define LINKER_SET_END(set)                                                                        \
    (__extension__({                                                                               \
        extern const void *const __stop_link_set_##set[] __attribute__((weak));                    \
        (const void *const *)(unsigned long)__stop_link_set_##set;                                 \
    }))

/*
 * VAR, declared before as `const struct thing *const *` (or without the first const for objects
 * that are not), stands at each member in turn: `*VAR` is the object's address.
 */
#define LINKER_SET_FOREACH(var, set)                                                               \
    for ((var) = (__typeof__(var))LINKER_SET_BEGIN(set);                                           \
         (const void *const *)(var) != LINKER_SET_END(set); (var)++)

#endif
