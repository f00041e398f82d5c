/* SPDX-License-Identifier: BSD-2-Clause */
/* Between file.c and file_object.c. */
#pragma once

#include "kernel/vm/vm_object.h"

extern const struct vm_object_ops file_object_ops, file_shared_object_ops;
