# SPDX-License-Identifier: BSD-2-Clause
# The statistics as a library for the host. Included by the Makefile, which sets BUILD and HOSTCC;
# tests/host/host.mk builds on the variables below.

HOST          := $(BUILD)/host
HOST_WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
HOST_CFLAGS   := -std=gnu11 -g -O2 -fno-omit-frame-pointer $(HOST_WARNINGS) \
                 -I. -Istats/include -Istats/host/include -MMD -MP
HOST_SOURCES  := $(wildcard stats/*.c stats/host/*.c)
HOST_OBJECTS  := $(HOST_SOURCES:%.c=$(HOST)/object/%.o)

# What the classic headers and stats/*.h include, under the names they include it by.
HOST_HEADERS := $(patsubst stats/include/%,$(HOST)/include/%,$(wildcard stats/include/*.h stats/include/sys/*.h)) \
                $(patsubst stats/host/include/%,$(HOST)/include/%, \
                    $(wildcard stats/host/include/*.h stats/host/include/machine/*.h)) \
                $(patsubst %,$(HOST)/include/%,$(wildcard stats/*.h) lib/linker_set.h lib/errno.h)

.PHONY: host-lib
host-lib: $(HOST)/libquipu-stats.a $(HOST_HEADERS) ## the statistics as a library for programs on the host

$(HOST)/libquipu-stats.a: $(HOST_OBJECTS)
	@rm -f $@
	$(call SAY,AR,$@)
	$(Q)ar rcs $@ $^

$(HOST)/object/%.o: %.c stats/host/host.mk
	@mkdir -p $(@D)
	$(call SAY,HOSTCC,$@)
	$(Q)$(HOSTCC) $(HOST_CFLAGS) -c -o $@ $<

$(HOST)/include/%.h: stats/include/%.h
	@mkdir -p $(@D)
	@cp $< $@

$(HOST)/include/%.h: stats/host/include/%.h
	@mkdir -p $(@D)
	@cp $< $@

$(HOST)/include/%.h: %.h
	@mkdir -p $(@D)
	@cp $< $@

-include $(HOST_OBJECTS:.o=.d)
