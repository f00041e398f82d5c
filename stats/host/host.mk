# SPDX-License-Identifier: BSD-2-Clause
# The statistics as a library for the host. Included by the Makefile, which sets BUILD and HOSTCC;
# tests/host/host.mk builds on the variables below.

HOST          := $(BUILD)/host
HOST_WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
HOST_CFLAGS   := -std=gnu11 -g -O2 -fno-omit-frame-pointer $(HOST_WARNINGS) \
                 -I. -Istats/include -Istats/host/include -MMD -MP
HOST_SOURCES  := $(wildcard stats/*/*.c) lib/calendar.c lib/fraction.c lib/hash_table.c lib/number.c lib/sort.c lib/text_row.c
HOST_OBJECTS  := $(HOST_SOURCES:%.c=$(HOST)/object/%.o)

# What the classic headers and those of stats/ include, under the names they include it by.
HOST_HEADERS := $(patsubst stats/include/%,$(HOST)/include/%,$(wildcard stats/include/*.h stats/include/sys/*.h)) \
                $(patsubst stats/host/include/%,$(HOST)/include/%, \
                    $(wildcard stats/host/include/*.h stats/host/include/machine/*.h)) \
                $(patsubst %,$(HOST)/include/%,$(filter-out stats/host/% stats/include/%,$(wildcard stats/*.h stats/*/*.h)) lib/linker_set.h lib/calendar.h lib/errno.h lib/fraction.h lib/hash_table.h lib/number.h lib/sort.h lib/text_row.h)

.PHONY: host-lib
host-lib: $(HOST)/libquipu-stats.a $(HOST_HEADERS) ## the statistics as a library for programs on the host

$(eval $(call WORD_FILE,$(HOST)/objects.list,$(HOST_OBJECTS)))
$(HOST)/libquipu-stats.a: $(HOST_OBJECTS) $(HOST)/objects.list
	@rm -f $@
	$(call SAY,AR,$@)
	$(Q)ar rcs $@ $(HOST_OBJECTS)

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
