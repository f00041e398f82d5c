# SPDX-License-Identifier: BSD-2-Clause
# Fuzzing on the host: `make fuzz SECONDS=60`. Included by tests/host/host.mk.

FUZZ_CC      := clang
FUZZ_CFLAGS  := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,$(HOST)/fuzz/%,$(wildcard tests/fuzz/*.c))
FUZZ_OBJECTS := $(patsubst %.c,$(HOST)/fuzz-object/%.o,$(HOST_SOURCES) $(QPMU_LIBRARY))
SECONDS      ?= 10

.PHONY: fuzz
ifeq ($(shell command -v $(FUZZ_CC)),)
fuzz:
	@echo "fuzz: skipped, $(FUZZ_CC) is not installed"
	@$(MAKE) --no-print-directory fuzz-calls
else
fuzz: $(FUZZ_TARGETS)
	@for target in $(FUZZ_TARGETS); do \
	    echo "fuzz: $$target for $(SECONDS) seconds"; \
	    mkdir -p $$target.corpus && \
	    $$target -max_total_time=$(SECONDS) -max_len=4096 -verbosity=0 -print_final_stats=1 \
	        -artifact_prefix=$$target. $$target.corpus || exit 1; \
	done
	@$(MAKE) --no-print-directory fuzz-calls
endif

$(HOST)/fuzz/%: $(HOST)/fuzz-object/tests/fuzz/%.o $(FUZZ_OBJECTS)
	@mkdir -p $(@D)
	$(call SAY,FUZZLD,$@)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $^

$(HOST)/fuzz-object/%.o: %.c
	@mkdir -p $(@D)
	$(call SAY,FUZZCC,$@)
	$(Q)$(FUZZ_CC) $(HOST_CFLAGS) $(FUZZ_CFLAGS) -c -o $@ $<

.SECONDARY: $(FUZZ_OBJECTS) $(FUZZ_TARGETS:$(HOST)/fuzz/%=$(HOST)/fuzz-object/tests/fuzz/%.o)
-include $(FUZZ_OBJECTS:.o=.d) $(FUZZ_TARGETS:$(HOST)/fuzz/%=$(HOST)/fuzz-object/tests/fuzz/%.d)
