# SPDX-License-Identifier: GPL-2.0
# smcr: SMC-R sockets (RFC 7609) as a loadable module. "make help" lists the
# targets. Each target installs through apt what it needs.

PREFIX ?= /usr/local
export SMCR_CACHE ?= /var/cache/smcr

SELFTESTS := tools/testing/selftests/smcr

# The kernel that runs, if it is a 6.12 one, otherwise the newest of these; any
# other only if there is none. Expanded late, because make itself may install
# the headers (deps).
headers_of = $(patsubst %/Makefile,%,$(shell ls -d /lib/modules/$(1)/build/Makefile \
	2>/dev/null | sort -V | tail -n 1))
running = $(call headers_of,$$(uname -r))
kdir = $(or $(KDIR),$(filter /lib/modules/6.12.%,$(running)),$(call \
	headers_of,6.12.*),$(running))
release = $$(cat $(kdir)/include/config/kernel.release)
# The lock serialises two builds in one working tree.
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
	@scripts/deps tool $(if $(kdir),,headers)

.PHONY: check-config
check-config: deps
	@scripts/check-config $(kdir)

# DKMS builds the module for each kernel that the host gets, and signs it. With
# DKMS=1 it gets a copy of the sources, and the module from there only.
version = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
dkms_source = /usr/src/smcr-$(version)

.PHONY: install uninstall uninstall-module
install: $(if $(DKMS),tool,all)
ifeq ($(DKMS),)
	$(call kbuild) INSTALL_MOD_DIR=updates modules_install
	depmod $(release)
else
	$(MAKE) uninstall-module
	scripts/deps dkms
	rsync -a --exclude='*.o' --exclude='*.ko' --exclude='*.mod*' --exclude='.*' \
		dkms.conf Kbuild include net $(dkms_source)/
	dkms install smcr/$(version) -k $(release)
endif
	$(MAKE) -C tools/smcr-ctl PREFIX=$(PREFIX) install
	$(MAKE) -C tools/boot PREFIX=$(PREFIX) install
	@[ $(release) = $$(uname -r) ] || \
		echo "smcr is installed for kernel $(release), which is not the one" \
			"that runs: boot it to use smcr"

uninstall: uninstall-module
	$(MAKE) -C tools/smcr-ctl PREFIX=$(PREFIX) uninstall
	$(MAKE) -C tools/boot PREFIX=$(PREFIX) uninstall

uninstall-module:
	[ ! -e $(dkms_source) ] || dkms remove smcr/$(version) --all
	rm -rf $(dkms_source)
	for m in /lib/modules/*/updates/net/smcr/smcr.ko*; do \
		[ -e "$$m" ] || continue; rm "$$m"; \
		r=$${m#/lib/modules/}; depmod "$${r%%/*}"; done

.PHONY: demo
demo:
	@scripts/demo

.PHONY: check check-quick check-all unit sim model mutants lint fuzz vm
check:
	@scripts/check

check-quick:
	@scripts/check --quick

# Goes on where an earlier one was cut off, unless FRESH=1.
check-all:
	@scripts/check --all $(if $(FRESH),--fresh)

unit:
	@scripts/deps unit
	@$(MAKE) -s -C $(SELFTESTS)/unit run

sim:
	@scripts/deps unit
	@$(MAKE) -s -C $(SELFTESTS)/sim run

# M names models or mutants; without M, all.
model:
	@scripts/deps model
	@$(SELFTESTS)/model/run.sh $(if $(M),-v $(M))

# M names entries, "unit" those without a virtual machine, "vm" the others.
mutants:
	@scripts/deps unit $(if $(filter-out unit,$(or $(M),vm)),vm net apps)
	@python3 -B $(SELFTESTS)/mutants/run.py $(M)

lint:
	@scripts/lint

fuzz:
	@scripts/deps fuzz
	@$(MAKE) -s -C $(SELFTESTS)/fuzz run $(if $(I),I=$(abspath $(I)))

# Runs on the release kernel unless K=debug, K=kcsan or K=both; without T, lists the tests.
ifeq ($(T),)
vm:
	@python3 -B $(SELFTESTS)/vm/bed.py list
	@echo "make vm T=NAME, T=func, T=apps or T=all; K=debug for the debug" \
		"kernel, K=both for both"
else
vm:
	@scripts/deps net apps
	@python3 -B $(SELFTESTS)/vm/bed.py tests $(T) \
		$(if $(filter both,$(K)),,--kernel $(or $(K),release))
endif

# ROUNDS of measurements; CONNECTIONS for the memory of an idle connection;
# KEEP=1 to store the samples and write the documents' tables from them;
# PART=failover for the times of failovers alone, PART=main for what is in none of
# the other parts, PART=linux for smcr with Linux,
# PART=small for small writes, PART=windows for writes through rings of equal sizes,
# PART=unused for what connections cost that do not use RDMA.
.PHONY: bench
bench:
	@scripts/deps net bench
	@$(MAKE) -s -C $(SELFTESTS)/bench
	@python3 -B $(SELFTESTS)/bench/bench.py --rounds $(or $(ROUNDS),15) \
		--connections $(or $(CONNECTIONS),4064) --part $(or $(PART),all) \
		$(if $(KEEP),--keep && python3 -B $(SELFTESTS)/bench/documents.py)

.PHONY: clean help
clean:
	$(if $(wildcard $(kdir)),$(call kbuild) clean)
	$(if $(wildcard tools/smcr-ctl/Makefile),$(MAKE) -C tools/smcr-ctl clean)
	for d in unit sim fuzz func apps bench; do $(MAKE) -C $(SELFTESTS)/$$d clean; done
	rm -rf $(SELFTESTS)/out .checkpatch-camelcase.*

help:
	@echo 'smcr: SMC-R sockets (RFC 7609). Targets:'
	@echo '  all            build module (net/smcr/smcr.ko) and tool (default);'
	@echo '                 KDIR= for another kernel, W=1, C=1, V=1'
	@echo '  check-config   name what the kernel in KDIR lacks'
	@echo '  install        install the module under updates/, the tool under'
	@echo '                 PREFIX ($(PREFIX)), and have boots load the module;'
	@echo '                 /etc/sysctl.d/60-smcr.conf is for its settings;'
	@echo '                 DKMS=1 has DKMS build and sign the module for each'
	@echo '                 kernel that the host gets'
	@echo '  uninstall      remove all of it'
	@echo '  demo           run unmodified programs over RDMA between two'
	@echo '                 virtual hosts, and remove an adapter meanwhile'
	@echo '  check          run unit, sim, model, lint, fuzz, and functional tests:'
	@echo '                 a core, then others until SMCR_BUDGET minutes (30) are'
	@echo '                 over; SMCR_ORDER=oldest takes what has not run longest'
	@echo '  check-quick    some of that, in minutes'
	@echo '  check-all      every test and case on every kernel, for hours; goes on'
	@echo '                 where it was cut off unless FRESH=1'
	@echo '  unit           test the protocol logic in user space, in seconds'
	@echo '  model          search all states of the models of failover and LLC;'
	@echo '                 M=NAME for one of them, with its counterexample'
	@echo '  sim            run two peers whose links die, LLC between two peers,'
	@echo '                 and mistakes that the runs must notice; SEED=n,'
	@echo '                 N=seeds, TRACE=1 to repeat, CASE=NAME for a scenario'
	@echo '  mutants        put mistakes into a copy of the tree, each of which a test'
	@echo '                 must notice; M=unit for those that take minutes, M=NAME'
	@echo '                 for one'
	@echo '  lint           check style, layers, sparse, documents, generated'
	@echo '                 code'
	@echo '  fuzz           fuzz all code that reads bytes from elsewhere;'
	@echo '                 F=target, T=seconds each (60), SEED=n, I=input to'
	@echo '                 repeat'
	@echo '  vm T=NAME      run one test in virtual machines; K=debug, K=kcsan or'
	@echo '                 K=both for other kernels; without T, list all tests; see'
	@echo '                 $(SELFTESTS)/vm/README.md'
	@echo '  bench          measure times, instructions, counts and memory'
	@echo '                 beside the device'"'"'s floor, Linux'"'"'s SMC-R, TCP and'
	@echo '                 perftest, and failover times; ROUNDS=n, CONNECTIONS=n,'
	@echo '                 PART=main, failover, linux, small, windows,'
	@echo '                 neighbours or unused; KEEP=1 to write the tables of'
	@echo '                 the documents'
	@echo '  clean          remove what was built here, but not the cache in'
	@echo '                 $$SMCR_CACHE ($(SMCR_CACHE))'
	@echo 'README.md is the introduction, CONTRIBUTING.md describes the loop.'
