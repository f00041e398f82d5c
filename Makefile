# SPDX-License-Identifier: BSD-2-Clause
# Quipu's build. `make help` lists the verbs. One plain Makefile: a source file belongs to the kernel because it lies in
# one of the layers' folders; what differs between machines is chosen by folder (arch/A) or by name (boot/A).

BUILD  := build
HOSTCC ?= gcc
ARCHES := x86_64 mips

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# One short line a step; V=1 shows the commands.
Q    := $(if $(V),,@)
SAY   = $(if $(V),,@echo "  $(1)	$(2)")

# --- what a machine is ------------------------------------------------------------------------------------------------
x86_64_PREFIX := $(if $(shell command -v x86_64-linux-gnu-gcc),x86_64-linux-gnu-,)
x86_64_CFLAGS := -m64 -mcmodel=kernel -mno-red-zone -mno-sse -mno-mmx -mno-80387 -fno-pic -fcf-protection=none
x86_64_LINK   := -DLINK_ADDRESS=0xffffffff80100000 -DLOAD_ADDRESS=0x100000
x86_64_LDFLAGS := -m elf_x86_64

mips_PREFIX := mips64-linux-gnuabi64-
mips_CFLAGS := -march=r10000 -mabi=64 -EB -msym32 -fno-pic -mno-abicalls -G0 -msoft-float -mno-llsc \
	-fomit-frame-pointer $(foreach reg,12 13 14 15 24 27,-ffixed-$(reg))
mips_LINK   := -DLINK_ADDRESS=0xffffffff80100000 -DLOAD_ADDRESS=0xffffffff80100000
mips_LDFLAGS := -m elf64btsmip

KERNEL_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -nostdinc -fno-stack-protector -fno-common -fno-omit-frame-pointer \
	-fno-strict-aliasing -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns \
	-fno-delete-null-pointer-checks -ffunction-sections -fdata-sections \
	-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror $(EXTRA_CFLAGS)

# --- what the kernel is made of ---------------------------------------------------------------------------------------
COMMON_SOURCES := $(sort $(wildcard lib/*.c stats/*.c kernel/*.c net/*.c drivers/*.c shell/*.c shell/commands/*.c tests/kernel/*.c)) \
	boot/main.c boot/calibrate.c boot/memory_regions.c
# CHECKED=1: the build that verifies the order of locks and keeps statistics of them. These files are of that build only.
CHECKED_SOURCES := kernel/lock_order.c kernel/lock_stats.c kernel/lock_checked.c tests/kernel/lock_order.c
ifdef CHECKED
KERNEL_CFLAGS += -DQUIPU_CHECKED
else
COMMON_SOURCES := $(filter-out $(CHECKED_SOURCES),$(COMMON_SOURCES))
endif
x86_64_SOURCES := $(sort $(wildcard arch/x86_64/*.[cS])) boot/multiboot_entry.S boot/multiboot.c \
	boot/acpi_madt.c boot/machine_pc.c
mips_SOURCES   := $(sort $(wildcard arch/mips/*.[cS])) boot/malta_entry.S boot/malta_args.c boot/machine_malta.c
x86_64_EXCLUDE := drivers/gt64120.c drivers/pmu_r10k.c drivers/pmu_r10k_emulated.c
mips_EXCLUDE   := drivers/lapic.c drivers/ioapic.c drivers/pmu_intel.c drivers/pmu_msr.c

define ARCH_RULES
$(1)_CC      := $$($(1)_PREFIX)gcc
$(1)_OBJECTS := $$(patsubst %,$(BUILD)/$(1)/%.o,$$(basename $$(filter-out $$($(1)_EXCLUDE),$(COMMON_SOURCES)) $$($(1)_SOURCES)))
$(1)_FLAGS    = $$(KERNEL_CFLAGS) $$($(1)_CFLAGS) -isystem $$(shell $$($(1)_CC) -print-file-name=include) \
	-I. -Istats/include -Itools/qpmu/include -Ilib/include -Iarch/include -Iarch/$(1)/include

$(BUILD)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(call SAY,CC,$$@)
	$$(Q)$$($(1)_CC) $$($(1)_FLAGS) -MMD -MP -c -o $$@ $$<

$(BUILD)/$(1)/%.o: %.S Makefile
	@mkdir -p $$(@D)
	$$(call SAY,AS,$$@)
	$$(Q)$$($(1)_CC) $$($(1)_FLAGS) -D__ASSEMBLER__ -MMD -MP -c -o $$@ $$<

$(BUILD)/$(1)/linker.ld: linker.ld Makefile
	@mkdir -p $$(@D)
	$$(Q)$$($(1)_CC) -E -P -x c $$($(1)_LINK) -undef -o $$@ $$<

# Linked twice: the first time to learn the addresses, the second with the table of symbols, which lies at the end.
$(BUILD)/$(1)/symbols_none.o: tools/symbols/table.sh
	@mkdir -p $$(@D)
	$$(Q)tools/symbols/table.sh </dev/null >$(BUILD)/$(1)/symbols_none.s
	$$(Q)$$($(1)_CC) $$($(1)_CFLAGS) -c -o $$@ $(BUILD)/$(1)/symbols_none.s

$(BUILD)/$(1)/quipu.elf: $$($(1)_OBJECTS) $(BUILD)/$(1)/linker.ld $(BUILD)/$(1)/symbols_none.o
	$$(call SAY,LD,$$@)
	$$(Q)$$($(1)_PREFIX)ld $$($(1)_LDFLAGS) -z max-page-size=4096 --gc-sections -T $(BUILD)/$(1)/linker.ld -o $$@.1 \
		$$($(1)_OBJECTS) $(BUILD)/$(1)/symbols_none.o
	$$(Q)$$($(1)_PREFIX)nm -n $$@.1 | tools/symbols/table.sh >$(BUILD)/$(1)/symbols.s
	$$(Q)$$($(1)_CC) $$($(1)_CFLAGS) -c -o $(BUILD)/$(1)/symbols.o $(BUILD)/$(1)/symbols.s
	$$(Q)$$($(1)_PREFIX)ld $$($(1)_LDFLAGS) -z max-page-size=4096 --gc-sections -T $(BUILD)/$(1)/linker.ld -o $$@ \
		$$($(1)_OBJECTS) $(BUILD)/$(1)/symbols.o

# Where every instruction counts: a stack trace skips these functions, not what they interrupted.
$(BUILD)/$(1)/kernel/interrupt.o $(BUILD)/$(1)/kernel/clock.o $(BUILD)/$(1)/kernel/scheduler.o \
$(BUILD)/$(1)/drivers/lapic.o $(BUILD)/$(1)/drivers/pmu_intel.o $(BUILD)/$(1)/kernel/pmc_port.o \
$(BUILD)/$(1)/stats/pmc.o $(BUILD)/$(1)/arch/x86_64/evcnt_cells.o: KERNEL_CFLAGS += -fomit-frame-pointer

-include $$($(1)_OBJECTS:.o=.d)
endef
$(foreach arch,$(ARCHES),$(eval $(call ARCH_RULES,$(arch))))

# GRUB and QEMU take a 32-bit ELF file; the code in it is what it was.
$(BUILD)/x86_64/quipu: $(BUILD)/x86_64/quipu.elf
	$(Q)$(x86_64_PREFIX)objcopy -I elf64-x86-64 -O elf32-i386 $< $@

$(BUILD)/mips/quipu: $(BUILD)/mips/quipu.elf
	$(Q)cp $< $@

# --- verbs ------------------------------------------------------------------------------------------------------------
.PHONY: all help checked $(ARCHES) iso run test unit qemu-test matrix mutants check fuzz bench bench-qpmu soak size clean plugins host-lib

all: $(ARCHES) ## build the kernel for both machines
x86_64: $(BUILD)/x86_64/quipu ## build the kernel for the PC
mips: $(BUILD)/mips/quipu ## build the kernel for the Malta board

checked: ## build both with lock statistics and the order of locks verified, in build/checked
	$(Q)$(MAKE) --no-print-directory CHECKED=1 BUILD=build/checked all

iso: $(BUILD)/x86_64/quipu.iso ## build a bootable GRUB ISO for the PC
$(BUILD)/x86_64/quipu.iso: $(BUILD)/x86_64/quipu boot/grub.cfg
	$(call SAY,ISO,$@)
	$(Q)rm -rf $(BUILD)/x86_64/iso
	$(Q)mkdir -p $(BUILD)/x86_64/iso/boot/grub
	$(Q)$(x86_64_PREFIX)objcopy --strip-all $(BUILD)/x86_64/quipu $(BUILD)/x86_64/iso/boot/quipu
	$(Q)cp boot/grub.cfg $(BUILD)/x86_64/iso/boot/grub/grub.cfg
	$(Q)grub-mkrescue --compress=xz --fonts= --locales= --themes= --install-modules="multiboot normal biosdisk iso9660" \
		-d /usr/lib/grub/i386-pc -o $@ $(BUILD)/x86_64/iso 2>$(BUILD)/x86_64/iso.log || { cat $(BUILD)/x86_64/iso.log; false; }

run: ## boot the PC in QEMU, the terminal as its console (ARCH=mips: the Malta board)
	./quipu run --arch $(or $(ARCH),x86_64)
test: ## everything: checks, unit tests, both machines in QEMU, GXemul and Bochs
	./quipu test
qemu-test: ## only the tests that boot machines
	./quipu test tests/qemu
matrix: ## the performance counters' tests on other Debians and their QEMUs (CELLS="trixie trixie-backports", TESTS=)
	CELLS="$(CELLS)" tools/matrix/run $(TESTS)
mutants: ## change every place that counts, and see whether a test notices: FILES=PATTERN MUTANTS=N,M RANDOM=N SEED= MINUTES= JOBS= AGAIN=1 REST=1 QUICK=1 LIST=1
	/usr/bin/python3 tools/mutants/mutants.py $(if $(FILES),--files '$(FILES)') $(if $(MUTANTS),--mutants '$(MUTANTS)') \
		$(if $(RANDOM),--random '$(RANDOM)') $(if $(SEED),--seed '$(SEED)') $(if $(MINUTES),--minutes '$(MINUTES)') \
		$(if $(JOBS),--jobs '$(JOBS)') $(if $(AGAIN),--again) $(if $(REST),--rest) $(if $(QUICK),--quick) $(if $(LIST),--list)
check: ## layers, lone headers, format, static analysis
	tools/check/run
bench: all plugins ## measure the figures in guest instructions, on both machines; roughly what qpmu costs (RUNS=1, RUN_SECONDS=2)
	$(Q)$(MAKE) --no-print-directory BUILD=build/no-cpu-time EXTRA_CFLAGS=-DQUIPU_WITHOUT_CPU_TIME all
	$(Q)$(MAKE) --no-print-directory BUILD=build/no-io-stats EXTRA_CFLAGS=-DQUIPU_WITHOUT_IO_STATS all
	$(Q)$(MAKE) --no-print-directory BUILD=build/no-pmc EXTRA_CFLAGS=-DQUIPU_WITHOUT_PMC all
	/usr/bin/python3 tools/bench/bench.py
	/usr/bin/python3 tools/bench/qpmu_overhead.py --runs $(or $(RUNS),1) --seconds $(or $(RUN_SECONDS),2)
bench-qpmu: build/plugins/qpmu.so ## what the performance counters cost QEMU (RUNS=7, RUN_SECONDS=10)
	/usr/bin/python3 tools/bench/qpmu_overhead.py --runs $(or $(RUNS),7) --seconds $(or $(RUN_SECONDS),10)
soak: $(if $(CHECKED),checked,all) ## MINUTES=1 [CHECKED=1] [FRAMES=1000000]: rounds of random work on 8 CPUs and on the Malta board, and network floods; a failure names its seed
	/usr/bin/python3 tools/soak/soak.py --minutes $(or $(MINUTES),1) $(if $(CHECKED),--checked)
	/usr/bin/python3 tools/soak/flood.py --frames $(or $(FRAMES),1000000) $(if $(CHECKED),--checked)
size: all ## size of the kernel's sections
	@$(foreach arch,$(ARCHES),echo $(arch); $($(arch)_PREFIX)size -A -d $(BUILD)/$(arch)/quipu.elf | grep -E '^\.(boot|text|rodata|sets|data|bss|symbols)';)
clean: ## remove everything that was built
	rm -rf $(BUILD)
help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9_-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' Makefile stats/host/host.mk tests/host/host.mk tools/qpmu/qpmu.mk

# They do not belong to one build of the kernel, so they lie where BUILD does not matter. tools/qpmu/qemu ties each to
# whatever QEMU loads it.
EMU_SOURCES := $(wildcard tools/qpmu/qemu/*.c)
PLUGIN_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Werror -fvisibility=hidden -shared -fPIC -pthread -I.
PLUGINS := $(patsubst tools/plugins/%.c,build/plugins/%.so,$(wildcard tools/plugins/*.c)) build/plugins/qpmu.so
plugins: $(PLUGINS) ## build the QEMU plugins that count from outside
build/plugins/%.so: tools/plugins/%.c $(EMU_SOURCES) $(wildcard tools/qpmu/qemu/*.h) Makefile
	@mkdir -p $(@D)
	$(call SAY,HOSTCC,$@)
	$(Q)$(HOSTCC) $(PLUGIN_CFLAGS) -o $@ $< $(EMU_SOURCES)

-include stats/host/host.mk tests/host/host.mk tools/qpmu/qpmu.mk
