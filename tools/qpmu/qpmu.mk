# SPDX-License-Identifier: BSD-2-Clause
# The plugin qpmu on its own: built and installed with a C compiler, make and a shell, whether or not this machine has what
# the kernels need. Included by the Makefile.

PREFIX ?= /usr/local

# The library in tools/qpmu, and what ties it to QEMU. make unit compiles the same with warnings as errors: other people's
# compilers, which warn of other things, are not to fail here.
QPMU         := build/plugins/qpmu.so
QPMU_SOURCES := $(wildcard tools/qpmu/*.c tools/qpmu/plugin/*.c) $(EMU_SOURCES)
QPMU_HEADERS := $(wildcard tools/qpmu/*.h tools/qpmu/*/*.h)

.PHONY: qpmu install-qpmu
qpmu: $(QPMU) ## build the plugin qpmu, with a C compiler (HOSTCC) and nothing else
$(eval $(call WORD_FILE,build/plugins/qpmu.list,$(QPMU_SOURCES)))
$(QPMU): build/plugins/qpmu.list $(QPMU_SOURCES) $(QPMU_HEADERS) tools/qpmu/qpmu.mk
	@mkdir -p $(@D)
	$(call SAY,HOSTCC,$@)
	$(Q)$(HOSTCC) $(filter-out -Werror,$(PLUGIN_CFLAGS)) -o $@ $(QPMU_SOURCES)

# Nothing in it names PREFIX: the folder can be moved.
install-qpmu: TO = $(DESTDIR)$(PREFIX)
install-qpmu: $(QPMU) ## install it: PREFIX=DIR [DESTDIR=DIR]; DIR/bin/qemu-pmu runs QEMU with it
	$(Q)mkdir -p '$(TO)/lib' '$(TO)/include' '$(TO)/bin' '$(TO)/share/man/man7'
	$(Q)cp $(QPMU) '$(TO)/lib/qpmu.so.new' && chmod 755 '$(TO)/lib/qpmu.so.new' && mv -f '$(TO)/lib/qpmu.so.new' '$(TO)/lib/qpmu.so'
	$(Q)cp tools/qpmu/include/qpmu.h '$(TO)/include/qpmu.h' && chmod 644 '$(TO)/include/qpmu.h'
	$(Q)cp docs/man/qpmu.7 '$(TO)/share/man/man7/qpmu.7' && chmod 644 '$(TO)/share/man/man7/qpmu.7'
	$(Q)cp tools/qpmu/qemu-pmu '$(TO)/bin/qemu-pmu' && chmod 755 '$(TO)/bin/qemu-pmu'
	$(call SAY,INSTALL,$(TO)/bin/qemu-pmu)
