# SPDX-License-Identifier: BSD-2-Clause
# Programs of /bin that a `./quipu run` brings along: static, by the machines' stock compilers. Where there is no C library
# for a machine, it goes without. They do not belong to one build of the kernel, so they lie where BUILD does not matter.

USER_CFLAGS := -std=gnu11 -D_GNU_SOURCE -static -Os -s -ffunction-sections -Wl,--gc-sections -Wall -Wextra -Wshadow -Werror
USER_TOOLS  := $(sort $(wildcard user/tools/*.c))

# USER_RULES arch
define USER_RULES
$(1)_LIBC := $$(wildcard $$(shell $$($(1)_CC) -print-file-name=libc.a 2>/dev/null))
.PHONY: user-$(1)
user-$(1): $$(if $$($(1)_LIBC),build/$(1)/user/tools)
build/$(1)/user/tools: $(USER_TOOLS) user/tools/tools.h user/user.mk
	@mkdir -p $$(@D)
	$$(call SAY,USERCC,$$@)
	$$(Q)$$($(1)_CC) $$(USER_CFLAGS) -o $$@ $(USER_TOOLS)
endef
$(foreach arch,$(ARCHES),$(eval $(call USER_RULES,$(arch))))

.PHONY: user
user: $(ARCHES:%=user-%) ## build the programs of /bin, where a machine's C library is installed
