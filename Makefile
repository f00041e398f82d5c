# SPDX-License-Identifier: BSD-2-Clause
# Quipu's build. `make help` lists the verbs. One plain Makefile: a source file belongs to the kernel because it lies in
# one of the layers' folders; what differs between machines is chosen by folder (arch/A) or by name (boot/A).

# PROFILE=core: the kernel without block devices, networks, PCI, kstat, devstat and pmc, in build/core (see CORE below).
BUILD  := build$(if $(PROFILE),/$(PROFILE))
HOSTCC ?= gcc
ARCHES := x86_64 mips
IMAGES := quipu quipu-test

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += -rR

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
COMMON_SOURCES := $(sort $(filter-out stats/host/%,$(wildcard lib/*.c stats/*/*.c kernel/*/*.c fs/*.c fs/*/*.c linux/*.c linux/*/*.c net/*.c drivers/*.c shell/*.c shell/*/*.c shell/commands/*/*.c))) \
	boot/main.c boot/archive.c boot/calibrate.c boot/load.c boot/memory_regions.c
# CHECKED=1: the build that verifies the order of locks and keeps statistics of them. These files are of that build only.
CHECKED_SOURCES := kernel/lock/lock_order.c kernel/lock/lock_stats.c kernel/lock/lock_checked.c tests/kernel/lock_order.c
# Two images of the same objects: quipu, and quipu-test, which has the self-tests in place of the command that misses them.
TEST_SOURCES   := $(sort $(wildcard tests/kernel/*.c))
QUIPU_ONLY     := shell/commands/selftest.c
ifdef CHECKED
KERNEL_CFLAGS += -DQUIPU_CHECKED
else
COMMON_SOURCES := $(filter-out $(CHECKED_SOURCES),$(COMMON_SOURCES))
TEST_SOURCES   := $(filter-out $(CHECKED_SOURCES),$(TEST_SOURCES))
endif
x86_64_SOURCES := $(sort $(wildcard arch/x86_64/*.[cS])) boot/multiboot_entry.S boot/multiboot.c \
	boot/acpi_madt.c boot/machine_pc.c boot/pc_pci.c boot/pc_pmu.c boot/pc_stream.c
mips_SOURCES   := $(sort $(wildcard arch/mips/*.[cS])) boot/malta_entry.S boot/malta_refuse.S boot/malta_args.c \
	boot/machine_malta.c boot/malta_pci.c boot/malta_pmu.c boot/malta_stream.c
# What PROFILE=core is made of: boot, interrupts, counters, threads, the console and a shell with a few commands. Rooms
# are here whole; of the others, the drivers without which a board neither counts nor ends, and what the commands need.
CORE := lib/% stats/evcnt/% $(addprefix kernel/,base/% cpu/% lock/% memory/% time/% interrupt/% thread/% console/% device/late.c) \
	arch/% $(filter-out %_pci.c %_pmu.c %_stream.c boot/archive.c boot/load.c,$(wildcard boot/*.[cS])) $(wildcard shell/*.c) \
	$(addprefix drivers/,uart16550.c uart16550_chip.c i8259.c lapic.c ioapic.c pit.c mc146818.c pci_ports.c gt64120.c piix4_pm.c) \
	$(addprefix shell/commands/,exit.c help.c hinv.c intrstat/% mem.c poweroff.c ps/ps.c selftest.c set.c vmstat/vmstat.c) \
	$(addprefix shell/commands/shared/,cpu_list.c interrupt_list.c share.c thread_list.c) \
	$(addprefix stats/read/,evcnt_tree.c vmstat.c)
# Of the self-tests, those that are about it: all but those named for what is left out (pmu_code.c is code for user mode).
NOT_CORE_TESTS := $(addprefix tests/kernel/,block% console% devstat% fake_disk% fake_interface% fs% hwperf% kstat% net% pci% pcnet% pmc% pmu% sample% \
	linux% process% profile% sysctl% virtio% vm%)
# The command that asks about laws is not in it, so laws are where self-tests ask.
CORE_LAWS := $(filter $(CORE),$(filter %_laws.c,$(COMMON_SOURCES)))
ifeq ($(PROFILE),core)
# It is to be small, whatever compiler: no room before functions and loops, no block of code twice, and only tiny functions
# in their callers, and whole.
KERNEL_CFLAGS  += -fno-align-functions -fno-align-jumps -fno-align-loops -fno-unroll-loops -fno-tree-pre \
	-fno-tree-ch -fno-thread-jumps -freorder-blocks-algorithm=simple -fno-inline-functions -fno-partial-inlining
COMMON_SOURCES := $(filter-out $(CORE_LAWS),$(filter $(CORE),$(COMMON_SOURCES)))
x86_64_SOURCES := $(filter $(CORE),$(x86_64_SOURCES))
mips_SOURCES   := $(filter $(CORE),$(mips_SOURCES))
TEST_SOURCES   := $(filter-out $(NOT_CORE_TESTS),$(TEST_SOURCES)) tests/kernel/pmu_code.c $(CORE_LAWS)
else ifneq ($(PROFILE),)
$(error PROFILE=$(PROFILE): there is core, and none for everything)
endif
x86_64_EXCLUDE := linux/program/machine_mips.c linux/program/signal_frame_mips.c drivers/gt64120.c drivers/pmu_r10k.c drivers/pmu_r10k_direct.c drivers/pmu_r10k_emulated.c
mips_EXCLUDE   := linux/program/machine_x86_64.c linux/program/signal_frame_x86_64.c drivers/lapic.c drivers/ioapic.c drivers/pmu_intel.c drivers/pmu_msr.c

# Where every instruction counts: a stack trace skips these functions, not what they interrupted.
FRAMELESS := kernel/cpu/ipl kernel/cpu/preempt kernel/interrupt/interrupt kernel/time/clock kernel/interrupt/trap kernel/thread/scheduler kernel/thread/tick kernel/thread/user linux/call linux/system/identity arch/x86_64/user_trap kernel/pmc/pmc_switch stats/pmc/pmc \
	drivers/lapic drivers/pmu_intel arch/x86_64/evcnt_cells
$(foreach file,$(if $(wildcard kernel),$(FRAMELESS)),$(if $(wildcard $(file).c),,$(error FRAMELESS names $(file).c, which is not there)))

# $(eval $(call WORD_FILE,FILE,WORDS)): FILE holds WORDS, and is written only when they change. What is made of all the source
# files that there are depends on such a list, so that it is made anew when one has gone. Written while make reads this, so
# that `make -q` tells the truth; by make itself, for each run of the launcher waits for it.
define WORD_FILE
$(if $(wildcard $(dir $(1))),,$(shell mkdir -p $(dir $(1))))$(if $(call SAME,$(strip $(file <$(1))),$(strip $(2))),,$(file >$(1),$(2)))
endef
SAME = $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x))

# IMAGE_RULES arch image objects. Linked twice: the first time to learn the addresses, the second with the table of
# symbols, which lies at the end.
define IMAGE_RULES
$$(eval $$(call WORD_FILE,$(BUILD)/$(1)/$(2).list,$(3)))
$(BUILD)/$(1)/$(2).elf: $(3) $(BUILD)/$(1)/$(2).list $(BUILD)/$(1)/linker.ld $(BUILD)/$(1)/symbols_none.o
	$$(call SAY,LD,$$@)
	$$(Q)$$($(1)_PREFIX)ld $$($(1)_LINK_FLAGS) -o $$@.1 $(3) $(BUILD)/$(1)/symbols_none.o
	$$(Q)$$($(1)_PREFIX)nm -n $$@.1 | tools/symbols/table.sh >$$@.symbols.s
	$$(Q)$$($(1)_CC) $$($(1)_CFLAGS) -c -o $$@.symbols.o $$@.symbols.s
	$$(Q)$$($(1)_PREFIX)ld $$($(1)_LINK_FLAGS) -o $$@ $(3) $$@.symbols.o
endef

define ARCH_RULES
$(1)_CC      := $$($(1)_PREFIX)gcc
$(1)_OBJECTS := $$(patsubst %,$(BUILD)/$(1)/%.o,$$(basename $$(filter-out $$($(1)_EXCLUDE),$(COMMON_SOURCES)) $$($(1)_SOURCES)))
$(1)_LINK_FLAGS = $$($(1)_LDFLAGS) -z max-page-size=4096 --gc-sections -T $(BUILD)/$(1)/linker.ld
$(1)_TESTS   := $$(patsubst %.c,$(BUILD)/$(1)/%.o,$(TEST_SOURCES))
$(1)_FLAGS    = $$(KERNEL_CFLAGS) $$($(1)_CFLAGS) -isystem $$(shell $$($(1)_CC) -print-file-name=include) \
	-I. -Istats/include -Itools/qpmu/include -Ilib/include -Iarch/include -Iarch/$(1)/include -Iabi/$(1)

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

$(BUILD)/$(1)/symbols_none.o: tools/symbols/table.sh
	@mkdir -p $$(@D)
	$$(Q)tools/symbols/table.sh </dev/null >$(BUILD)/$(1)/symbols_none.s
	$$(Q)$$($(1)_CC) $$($(1)_CFLAGS) -c -o $$@ $(BUILD)/$(1)/symbols_none.s

$$(eval $$(call IMAGE_RULES,$(1),quipu,$$($(1)_OBJECTS)))
$$(eval $$(call IMAGE_RULES,$(1),quipu-test,$$(filter-out $$(patsubst %.c,$(BUILD)/$(1)/%.o,$(QUIPU_ONLY)),$$($(1)_OBJECTS)) $$($(1)_TESTS)))

$(foreach file,$(FRAMELESS),$(BUILD)/$(1)/$(file).o): KERNEL_CFLAGS += -fomit-frame-pointer

-include $$($(1)_OBJECTS:.o=.d) $$($(1)_TESTS:.o=.d)
endef
$(foreach arch,$(ARCHES),$(eval $(call ARCH_RULES,$(arch))))

# GRUB and QEMU take a 32-bit ELF file; the code in it is what it was.
$(IMAGES:%=$(BUILD)/x86_64/%): %: %.elf
	$(Q)$(x86_64_PREFIX)objcopy -I elf64-x86-64 -O elf32-i386 $< $@

$(IMAGES:%=$(BUILD)/mips/%): %: %.elf
	$(Q)cp $< $@

# --- verbs ------------------------------------------------------------------------------------------------------------
.PHONY: all help checked core $(ARCHES) iso run test unit qemu-test matrix guests mutants check fuzz fuzz-calls bench bench-builds bench-check bench-keep bench-qpmu bench-programs bench-turns bench-counters bench-guests soak attack size compile-commands clean plugins host-lib

all: $(ARCHES) ## build the kernel for both machines
x86_64: $(IMAGES:%=$(BUILD)/x86_64/%) ## build the kernel for the PC, without self-tests and with them
mips: $(IMAGES:%=$(BUILD)/mips/%) ## build the kernel for the Malta board, the same two

checked: ## build both with lock statistics and the order of locks verified, in build/checked
	$(Q)$(MAKE) --no-print-directory CHECKED=1 BUILD=build/checked all

core: ## build both without block devices, networks, PCI, kstat, devstat and pmc, in build/core
	$(Q)$(MAKE) --no-print-directory PROFILE=core all

iso: $(BUILD)/x86_64/quipu.iso ## build a bootable GRUB ISO for the PC
$(BUILD)/x86_64/quipu.iso: $(BUILD)/x86_64/quipu build/x86_64/user/archive.gz boot/grub.cfg
	$(call SAY,ISO,$@)
	$(Q)rm -rf $(BUILD)/x86_64/iso
	$(Q)mkdir -p $(BUILD)/x86_64/iso/boot/grub
	$(Q)$(x86_64_PREFIX)objcopy --strip-all $(BUILD)/x86_64/quipu $(BUILD)/x86_64/iso/boot/quipu
	$(Q)gzip -9n $(BUILD)/x86_64/iso/boot/quipu && mv $(BUILD)/x86_64/iso/boot/quipu.gz $(BUILD)/x86_64/iso/boot/quipu
	$(Q)cp build/x86_64/user/archive.gz $(BUILD)/x86_64/iso/boot/archive.gz
	$(Q)cp boot/grub.cfg $(BUILD)/x86_64/iso/boot/grub/grub.cfg
	$(Q)grub-mkrescue --compress=xz --fonts= --locales= --themes= --install-modules="multiboot normal biosdisk iso9660 gzio" \
		-d /usr/lib/grub/i386-pc -o $@ $(BUILD)/x86_64/iso 2>$(BUILD)/x86_64/iso.log || { cat $(BUILD)/x86_64/iso.log; false; }

run: ## boot the PC in QEMU, the terminal as its console (ARCH=mips: the Malta board)
	./quipu run --arch $(or $(ARCH),x86_64)
test: ## everything: checks, unit tests, both machines in QEMU, GXemul and Bochs
	./quipu test
qemu-test: ## only the tests that boot machines
	./quipu test tests/qemu
matrix: ## the performance counters' tests on other Debians and their QEMUs (CELLS="trixie trixie-backports", TESTS=)
	CELLS="$(CELLS)" tools/matrix/run $(TESTS)
guests: plugins ## Debian's kernels as guests that know nothing of qpmu, the long forms (QEMU 11; apt downloads them)
	GUESTS=long QUIPU_NO_INSTALL=1 /usr/bin/python3 -m pytest -n 0 tests/guests
mutants: ## change every place that counts, and see whether a test notices: FILES=PATTERN MUTANTS=N,M RANDOM=N SEED= MINUTES= JOBS= AGAIN=1 REST=1 QUICK=1 LIST=1
	/usr/bin/python3 tools/mutants/mutants.py $(if $(FILES),--files '$(FILES)') $(if $(MUTANTS),--mutants '$(MUTANTS)') \
		$(if $(RANDOM),--random '$(RANDOM)') $(if $(SEED),--seed '$(SEED)') $(if $(MINUTES),--minutes '$(MINUTES)') \
		$(if $(JOBS),--jobs '$(JOBS)') $(if $(AGAIN),--again) $(if $(REST),--rest) $(if $(QUICK),--quick) $(if $(LIST),--list)
check: ## layers, lone headers, format, static analysis
	tools/check/run
bench-builds: all user plugins
	$(Q)$(MAKE) --no-print-directory BUILD=build/no-cpu-time EXTRA_CFLAGS=-DQUIPU_WITHOUT_CPU_TIME all
	$(Q)$(MAKE) --no-print-directory BUILD=build/no-io-stats EXTRA_CFLAGS=-DQUIPU_WITHOUT_IO_STATS all
	$(Q)$(MAKE) --no-print-directory BUILD=build/no-pmc EXTRA_CFLAGS=-DQUIPU_WITHOUT_PMC all
bench: bench-builds ## measure the figures in guest instructions, on both machines; roughly what qpmu costs (RUNS=1, RUN_SECONDS=2)
	/usr/bin/python3 tools/bench/bench.py
	/usr/bin/python3 tools/bench/qpmu_overhead.py --runs $(or $(RUNS),1) --seconds $(or $(RUN_SECONDS),2)
bench-check: bench-builds ## say which figures are more than 3 % worse than those that are kept (tools/bench/kept)
	/usr/bin/python3 tools/bench/bench.py --check
bench-keep: bench-builds ## measure the figures, and keep them
	/usr/bin/python3 tools/bench/bench.py --keep
bench-qpmu: build/plugins/qpmu.so ## what the performance counters cost QEMU (RUNS=7, RUN_SECONDS=10)
	/usr/bin/python3 tools/bench/qpmu_overhead.py --runs $(or $(RUNS),7) --seconds $(or $(RUN_SECONDS),10)
bench-guests: build/plugins/qpmu.so ## what they cost a Linux that boots and knows nothing of them (RUNS=5; QEMU 11; apt downloads it)
	/usr/bin/python3 tools/bench/linux_boot.py --runs $(or $(RUNS),5)
bench-programs: all user build/plugins/qpmu.so ## what a program that computes costs on Quipu, over the same under qemu-user (RUNS=5, ROUNDS=4000)
	/usr/bin/python3 tools/bench/programs.py --runs $(or $(RUNS),5) --rounds $(or $(ROUNDS),4000)
bench-turns: all user build/plugins/count.so ## what system calls, faults and starts of programs cost, in guest instructions (RUNS=3, LINUX=VMLINUZ: of that too)
	/usr/bin/python3 tools/bench/turns.py --runs $(or $(RUNS),3) $(if $(LINUX),--linux $(LINUX))
bench-counters: all user build/plugins/count.so build/plugins/qpmu.so ## what event counters of processes cost, in guest instructions
	/usr/bin/python3 tools/bench/counters.py
soak: $(if $(CHECKED),checked,all) ## MINUTES=1 [CPUS=8] [CHECKED=1] [FRAMES=1000000]: rounds of random work on CPUS and on the Malta board, and network floods; a failure names its seed
	/usr/bin/python3 tools/soak/soak.py --minutes $(or $(MINUTES),1) --cpus $(or $(CPUS),8) $(if $(CHECKED),--checked)
	/usr/bin/python3 tools/soak/flood.py --frames $(or $(FRAMES),1000000) $(if $(CHECKED),--checked)
attack: all ## MINUTES=1 [SEED=]: seeded floods of serial bytes, frames, failing sectors and command lines on both boards, against models of what must be counted
	/usr/bin/python3 tools/attack/attack.py --seconds $$(($(or $(MINUTES),1) * 60)) $(if $(SEED),--seed $(SEED))
fuzz-calls: $(if $(CHECKED),checked,all) ## MINUTES=1 [CHECKED=1] [SEED=]: random system calls from user mode, on 1 and 4 CPUs and on the Malta board
	/usr/bin/python3 tools/fuzz/calls.py --seconds $$(($(or $(MINUTES),1) * 60)) $(if $(SEED),--seed $(SEED)) $(if $(CHECKED),--checked)
	/usr/bin/python3 tools/fuzz/calls.py --cpus 4 --seconds $$(($(or $(MINUTES),1) * 60)) $(if $(SEED),--seed $(SEED)) $(if $(CHECKED),--checked)
	/usr/bin/python3 tools/fuzz/calls.py --arch mips --seconds $$(($(or $(MINUTES),1) * 60)) $(if $(SEED),--seed $(SEED)) $(if $(CHECKED),--checked)
size: all ## size of the kernels' sections
	@$(foreach arch,$(ARCHES),$(foreach image,$(IMAGES),echo $(arch)/$(image); $($(arch)_PREFIX)size -A -d $(BUILD)/$(arch)/$(image).elf | grep -E '^\.(boot|text|rodata|sets|data|bss|symbols)';))
compile-commands: ## write compile_commands.json, for clangd and editors
	/usr/bin/python3 tools/build/compile_commands.py
clean: ## remove everything that was built
	rm -rf $(BUILD)
help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9_-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' Makefile stats/host/host.mk tests/host/host.mk tools/qpmu/qpmu.mk user/user.mk user/tools/tools.mk

# They do not belong to one build of the kernel, so they lie where BUILD does not matter. tools/qpmu/qemu ties each to
# whatever QEMU loads it.
EMU_SOURCES := $(wildcard tools/qpmu/qemu/*.c)
PLUGIN_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Werror -fvisibility=hidden -shared -fPIC -pthread -I.
PLUGINS := $(patsubst tools/plugins/%.c,build/plugins/%.so,$(wildcard tools/plugins/*.c)) build/plugins/qpmu.so
plugins: $(PLUGINS) ## build the QEMU plugins that count from outside
$(eval $(call WORD_FILE,build/plugins/emu.list,$(EMU_SOURCES)))
build/plugins/%.so: tools/plugins/%.c build/plugins/emu.list $(EMU_SOURCES) $(wildcard tools/qpmu/qemu/*.h) Makefile
	@mkdir -p $(@D)
	$(call SAY,HOSTCC,$@)
	$(Q)$(HOSTCC) $(PLUGIN_CFLAGS) -o $@ $< $(EMU_SOURCES)

-include stats/host/host.mk tests/host/host.mk tools/qpmu/qpmu.mk user/user.mk user/tools/tools.mk
