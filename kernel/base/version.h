/* SPDX-License-Identifier: BSD-2-Clause */
/* What the system calls itself. */
#pragma once

#define QUIPU_NAME    "Quipu"
#define QUIPU_RELEASE "0.1"
