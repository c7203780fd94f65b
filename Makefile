# SPDX-License-Identifier: GPL-2.0
# smcr: SMC-R sockets (RFC 7609) as a loadable module. "make help" lists the
# targets. Each installs through apt what it needs.

PREFIX ?= /usr/local
export SMCR_CACHE ?= /var/cache/smcr

SELFTESTS := tools/testing/selftests/smcr

# The headers may be installed while make runs, so this is looked up late.
newest = $(lastword $(sort $(wildcard /lib/modules/6.12.*-amd64/build)))
kdir = $(or $(KDIR),$(newest))
# The lock is for two that build in one working tree at the same time.
kbuild = +flock Kbuild $(MAKE) -C $(kdir) M=$(CURDIR)

.DEFAULT_GOAL := all
.PHONY: all module tool
all: module tool

# W=1, C=1 and V=1 work as in the kernel.
module: deps
	$(call kbuild) modules

tool: deps
	$(if $(wildcard tools/smcr-ctl/Makefile),$(MAKE) -C tools/smcr-ctl)

.PHONY: deps
deps:
	@scripts/deps build

.PHONY: check-config
check-config: deps
	@scripts/check-config $(kdir)

.PHONY: install uninstall
install: all
	$(call kbuild) INSTALL_MOD_DIR=updates modules_install
	$(MAKE) -C tools/smcr-ctl PREFIX=$(PREFIX) install
	depmod $(notdir $(patsubst %/build,%,$(kdir)))

uninstall:
	rm -f /lib/modules/*/updates/net/smcr/smcr.ko*
	depmod $(notdir $(patsubst %/build,%,$(kdir)))
	$(MAKE) -C tools/smcr-ctl PREFIX=$(PREFIX) uninstall

.PHONY: demo
demo:
	@scripts/demo

.PHONY: check unit lint fuzz vm
check:
	@scripts/check

unit:
	@scripts/deps unit
	@$(MAKE) -s -C $(SELFTESTS)/unit run

lint:
	@scripts/lint

fuzz:
	@scripts/deps fuzz
	@$(MAKE) -s -C $(SELFTESTS)/fuzz run $(if $(I),I=$(abspath $(I)))

# The release kernel unless K=debug or K=both.
vm:
	@test -n "$(T)" || { echo "make vm T=NAME, T=func, T=apps or T=all;" \
		"K=debug for the debug kernel, K=both for both"; exit 2; }
	@scripts/deps net apps
	@python3 -B $(SELFTESTS)/vm/bed.py tests $(T) \
		$(if $(filter both,$(K)),,--kernel $(or $(K),release))

# ROUNDS=15, CONNECTIONS=4064 for the slope of memory.
.PHONY: bench
bench:
	@scripts/deps net bench
	@$(MAKE) -s -C $(SELFTESTS)/bench
	@python3 -B $(SELFTESTS)/bench/bench.py --rounds $(or $(ROUNDS),15) \
		--connections $(or $(CONNECTIONS),4064)

# Hours. The same tests with every case instead of a few drawn ones.
.PHONY: soak
soak:
	@scripts/deps net
	@SMCR_SOAK=1 python3 -B $(SELFTESTS)/vm/bed.py tests $(or $(T),func) \
		$(if $(K),$(if $(filter both,$(K)),,--kernel $(K)))

.PHONY: clean help
clean:
	$(if $(wildcard $(kdir)),$(call kbuild) clean)
	$(if $(wildcard tools/smcr-ctl/Makefile),$(MAKE) -C tools/smcr-ctl clean)
	for d in unit fuzz func bench; do $(MAKE) -C $(SELFTESTS)/$$d clean; done
	rm -rf $(SELFTESTS)/out

help:
	@echo 'smcr: SMC-R sockets (RFC 7609). Targets:'
	@echo '  all            module (net/smcr/smcr.ko) and tool (default);'
	@echo '                 KDIR= for another kernel, W=1, C=1, V=1'
	@echo '  check-config   what the kernel in KDIR lacks'
	@echo '  install        module under updates/, tool under PREFIX'
	@echo '  uninstall      both away again'
	@echo '  demo           two virtual hosts, unmodified programs, RDMA'
	@echo '  check          every test (under an hour on 2 processors)'
	@echo '  unit           protocol logic alone, in seconds'
	@echo '  lint           style, layers, sparse, generated code'
	@echo '  fuzz           fuzz what reads bytes from elsewhere; F=target,'
	@echo '                 T=seconds each (60), SEED=n, I=input to repeat'
	@echo '  vm T=NAME      one test in virtual machines, see'
	@echo '                 $(SELFTESTS)/vm/README.md'
	@echo '  bench          times, instructions, counts and memory beside the'
	@echo '                 device'"'"'s floor, TCP and perftest'
	@echo '  soak           every case of the functional tests, for hours;'
	@echo '                 T=NAME and K= as for vm'
	@echo '  clean          what was built here; the cache in'
	@echo '                 $$SMCR_CACHE ($(SMCR_CACHE)) stays'
