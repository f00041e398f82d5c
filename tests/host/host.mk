# SPDX-License-Identifier: BSD-2-Clause
# The unit tests on the host, twice: with the address and undefined-behaviour sanitizers, and with
# the thread sanitizer. Included by the Makefile after stats/host/host.mk.

# The library of the QEMU plugin qpmu, without the plugin.
QPMU_LIBRARY := $(wildcard tools/qpmu/*.c)
# And the plugin but for its socket, which tests/host/qpmu_plugin.c gives a QEMU.
QPMU_PLUGIN  := $(filter-out %/interrupt.c,$(wildcard tools/qpmu/plugin/*.c))
# Of the kernel, what runs against modelled registers, or by itself.
UNIT_KERNEL := drivers/pmu_msr.c lib/heap.c
UNIT_SOURCES := $(HOST_SOURCES) $(QPMU_LIBRARY) $(QPMU_PLUGIN) $(UNIT_KERNEL) $(wildcard tests/host/*.c)
UNIT_CFLAGS  := $(HOST_CFLAGS) -D_GNU_SOURCE -pthread
UNIT_ASAN    := -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_TSAN    := -fsanitize=thread
UNIT_LDFLAGS := -pthread -Wl,--wrap=stats_port_unlock,--wrap=pmc_port_interrupts_save

.PHONY: unit
unit: $(HOST)/unit-asan/run $(HOST)/unit-tsan/run ## unit tests on the host, under sanitizers
	$(HOST)/unit-asan/run
	$(HOST)/unit-tsan/run thread

fuzz: ## fuzz on the host, SECONDS=10 a target

define UNIT_RULES
$(HOST)/unit-$(1)/%.o: %.c tests/host/host.mk
	@mkdir -p $$(@D)
	$$(call SAY,HOSTCC,$$@)
	$$(Q)$$(HOSTCC) $$(UNIT_CFLAGS) $(2) -c -o $$@ $$<

$$(eval $$(call WORD_FILE,$(HOST)/unit-$(1)/objects.list,$$(UNIT_SOURCES:%.c=$(HOST)/unit-$(1)/%.o)))
$(HOST)/unit-$(1)/run: $$(UNIT_SOURCES:%.c=$(HOST)/unit-$(1)/%.o) $(HOST)/unit-$(1)/objects.list
	$$(call SAY,HOSTLD,$$@)
	$$(Q)$$(HOSTCC) $$(UNIT_LDFLAGS) $(2) -o $$@ $$(filter %.o,$$^)

# Built as the Makefile builds the plugin, whose warnings are fewer.
$$(QPMU_PLUGIN:%.c=$(HOST)/unit-$(1)/%.o): UNIT_CFLAGS += \
	-Wno-conversion -Wno-sign-conversion -Wno-tsan

-include $$(UNIT_SOURCES:%.c=$(HOST)/unit-$(1)/%.d)
endef
$(eval $(call UNIT_RULES,asan,$(UNIT_ASAN)))
$(eval $(call UNIT_RULES,tsan,$(UNIT_TSAN)))

include tests/fuzz/host.mk
