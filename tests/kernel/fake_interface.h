/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network interface of a card of the tests' own. It is on no list, and down: the frames that a
 * driver hands up are dropped there (idrops).
 */
#pragma once

#include "net/interface.h"

/* Begins at nothing, its lock and its counters (as GROUP's) ready. The lock stays what it is from
 * one time to the next: the checked build has a list of those in the kernel's data. */
void fake_interface_begin(struct net_interface *interface, const char *group);
/* And comes up as fake0 at ADDRESS/24, with a MAC address; what it is to send, it gives TRANSMIT.
 */
void fake_interface_begin_up(struct net_interface *interface, uint32_t address,
                             int (*transmit)(struct net_interface *, struct net_buffer *));
void fake_interface_end(struct net_interface *interface);
/* Whether it received so many frames, errors and bytes; else why not, for a self-test. */
int fake_interface_check(const struct net_interface *interface, uint64_t good, uint64_t bad,
                         uint64_t bytes);
/* Takes all buffers that the pool has, so that a driver gets none; net_queue_drop gives them back.
 */
void fake_interface_starve(struct net_queue *held);
