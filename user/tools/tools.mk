# SPDX-License-Identifier: BSD-2-Clause
# Programs of /bin that a `./quipu run` brings along: static, by the machines' stock compilers. They do not belong to one build of the kernel, so they lie where BUILD does not matter.

TOOLS_CFLAGS := -std=gnu11 -D_GNU_SOURCE -static -Os -s -ffunction-sections -Wl,--gc-sections -Wall -Wextra -Wshadow -Werror
USER_TOOLS    := $(sort $(wildcard user/tools/*.c))
USER_PROGRAMS := tools kstat workload perfex

# TOOLS_RULES arch
define TOOLS_RULES
.PHONY: user-$(1)
user-$(1): $$(if $$($(1)_LIBC),$$(addprefix build/$(1)/user/,$(USER_PROGRAMS)))
build/$(1)/user/workload: user/workloads/workload.c user/workloads/matrix.c user/tools/tools.mk
	@mkdir -p $$(@D)
	$$(call SAY,USERCC,$$@)
	$$(Q)$$($(1)_CC) $$(TOOLS_CFLAGS) -O2 -pthread -o $$@ user/workloads/workload.c user/workloads/matrix.c
build/$(1)/user/tools: $(USER_TOOLS) user/tools/tools.h user/tools/sh.h user/tools/tools.mk
	@mkdir -p $$(@D)
	$$(call SAY,USERCC,$$@)
	$$(Q)$$($(1)_CC) $$(TOOLS_CFLAGS) -o $$@ $(USER_TOOLS)
# All of them as the archive that an ISO has.
build/$(1)/user/archive.gz: $$(if $$($(1)_LIBC),$$(addprefix build/$(1)/user/,$(USER_PROGRAMS))) user/perfex/costs.$(1) tools/run/boot_files.py tools/run/archive.py
	@mkdir -p $$(@D)
	$$(Q)/usr/bin/python3 tools/run/boot_files.py $(1) >$$@.part
	$$(Q)mv $$@.part $$@
endef
$(foreach arch,$(ARCHES),$(eval $(call TOOLS_RULES,$(arch))))

.PHONY: user
user: $(ARCHES:%=user-%) ## build the programs of /bin, where a machine's C library is installed
