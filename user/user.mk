# SPDX-License-Identifier: BSD-2-Clause
# Programs for user mode, libquipu.a, the readers' half of the statistics, and libperfex.a, for both machines: where their
# C libraries are. Included by the Makefile. They lie where BUILD does not matter: no build of the kernel changes them.

USER_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror \
	-ffunction-sections -fdata-sections -Iuser/include -I. -MMD -MP
USER_READERS := $(addprefix stats/read/,libkstat.c libkstat_chain.c libdevstat.c devstat_match.c devstat_select.c devstat_compute.c) \
	stats/host/devstat_long_double.c stats/host/devstat_1998.c lib/fraction.c lib/hash_table.c
USER_LIBRARY := $(wildcard user/lib/*.c) $(USER_READERS)
# What /bin/kstat needs besides.
USER_KSTAT   := user/kstat/kstat.c $(addprefix stats/read/,kstat_request.c kstat_report.c kstat_json.c kstat_text.c \
	kstat_statistic.c kstat_raw.c kstat_pattern.c kstat_regex.c kstat_regex_match.c time_stamp.c) \
	$(addprefix lib/,calendar.c number.c sort.c text_row.c)

# What perfex and its like share, and libperfex.a; then what each has of its own.
USER_COUNTING  := $(addprefix user/perfex/,event.c cost.c counters.c report.c statistics.c)
USER_LIBPERFEX := user/perfex/library.c $(USER_COUNTING)
USER_PERFEX    := $(addprefix user/perfex/,main.c perfex.c run.c family.c ecadmin.c ecstats.c hinv.c sample.c screen.c system.c) $(USER_COUNTING)

# ARCH_LIBC: empty where there is no C library for a machine; it goes without then.
$(foreach arch,$(ARCHES),$(eval $(arch)_LIBC := $$(wildcard $$(shell $$($(arch)_CC) -print-file-name=libc.a 2>/dev/null))))

# USER_RULES arch
define USER_RULES
$(1)_USER         := build/$(1)/user
$(1)_USER_OBJECTS := $$(USER_LIBRARY:%.c=$$($(1)_USER)/object/%.o)
$(1)_PROGRAMS     := $$(foreach name,KSTAT PERFEX LIBPERFEX,$$(USER_$$(name):%.c=$$($(1)_USER)/object/%.o))

$$($(1)_USER)/object/%.o: %.c Makefile user/user.mk
	@mkdir -p $$(@D)
	$$(call SAY,CC,$$@)
	$$(Q)$$($(1)_PREFIX)gcc $$(USER_CFLAGS) $$(USER_EXTRA_CFLAGS) -c -o $$@ $$<

-include $$(sort $$($(1)_USER_OBJECTS:.o=.d) $$($(1)_PROGRAMS:.o=.d))
endef
# USER_ARCHIVE arch,name,sources,names. The library is one object. What it has besides the NAMES of the classic interfaces
# begins with quipu__, so that a program may have whatever names it likes. (MIPS cannot make them local.)
define USER_ARCHIVE
$$(eval $$(call WORD_FILE,$$($(1)_USER)/$(2).list,$(3:%.c=$$($(1)_USER)/object/%.o)))
$$($(1)_USER)/$(2).a: $(3:%.c=$$($(1)_USER)/object/%.o) $$($(1)_USER)/$(2).list $(4)
	$$(call SAY,AR,$$@)
	$$(Q)$$($(1)_PREFIX)ld -r -o $$(@D)/$(2).o $(3:%.c=$$($(1)_USER)/object/%.o)
	$$(Q)$$($(1)_PREFIX)nm -g --defined-only $$(@D)/$(2).o | \
		awk 'FILENAME != "-" {classic[$$$$1] = 1; next} !($$$$3 in classic) {print $$$$3, "quipu__" $$$$3}' $(4) - >$$(@D)/$(2).others
	$$(Q)$$($(1)_PREFIX)objcopy --redefine-syms=$$(@D)/$(2).others $$(@D)/$(2).o
	@rm -f $$@
	$$(Q)$$($(1)_PREFIX)ar rcs $$@ $$(@D)/$(2).o
endef
# USER_PROGRAM arch,name,sources
define USER_PROGRAM
$$($(1)_USER)/$(2): $(3:%.c=$$($(1)_USER)/object/%.o) $$($(1)_USER_OBJECTS)
	$$(call SAY,LD,$$@)
	$$(Q)$$($(1)_PREFIX)gcc -static -s -Wl,--gc-sections -o $$@ $$^
endef
$(foreach arch,$(ARCHES),$(eval $(call USER_RULES,$(arch))))
$(foreach arch,$(ARCHES),$(eval $(call USER_ARCHIVE,$(arch),libquipu,$(USER_LIBRARY),user/lib/names)))
$(foreach arch,$(ARCHES),$(eval $(call USER_ARCHIVE,$(arch),libperfex,$(USER_LIBPERFEX),user/perfex/library_names)))
$(foreach arch,$(ARCHES),$(eval $(call USER_PROGRAM,$(arch),kstat,$(USER_KSTAT))))
$(foreach arch,$(ARCHES),$(eval $(call USER_PROGRAM,$(arch),perfex,$(USER_PERFEX))))

USER_MACHINES := $(foreach arch,$(ARCHES),$(if $(wildcard $($(arch)_LIBC)),$(arch)))
.PHONY: libquipu
libquipu: $(foreach arch,$(USER_MACHINES),$(addprefix $($(arch)_USER)/,libquipu.a libperfex.a kstat)) ## the statistics and libperfex as libraries for programs on Quipu, and /bin/kstat
