/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the counters of all protocols move by what a test says, and no other one. */
#pragma once

#include "net/interface.h"

/* Nothing is expected. */
void net_moves_begin(void);
/* TIMES more of PROTOCOL's counter whose name begins with TEXT. */
void net_moves_expect(const char *protocol, const char *text, uint64_t times);
/* Whether it is so, waiting a second for what goes by the loopback, or now: 0, or why not, for a
 * self-test. */
int net_moves_check(void);
int net_moves_check_now(void);
/* All protocols' counters as they were, after packets that no interface has counted. */
void net_moves_take_back(void);

/* Zeroes of LENGTH behind the Ethernet header, as if come by INTERFACE; NULL: no buffer. */
struct net_buffer *net_moves_packet(struct net_interface *interface, size_t length);
