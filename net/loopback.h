/* SPDX-License-Identifier: BSD-2-Clause */
/* lo0, 127.0.0.1/8: what is sent to an address of our own comes back by it. */
#pragma once

#include "net/interface.h"

int loopback_attach(void);
struct net_interface *loopback(void);
