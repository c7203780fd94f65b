# SPDX-License-Identifier: GPL-2.0
# smcr: SMC-R sockets (RFC 7609) as a loadable module. "make help" lists the
# targets. Each installs through apt what it needs.

KDIR ?= $(lastword $(sort $(wildcard /lib/modules/6.12.*-amd64/build)))
PREFIX ?= /usr/local
export SMCR_CACHE ?= /var/cache/smcr

SELFTESTS := tools/testing/selftests/smcr
# The headers may be installed by the "deps" script while make runs, so the
# default is looked up again after it.
kdir = $(or $(KDIR),$(lastword $(sort $(wildcard \
	/lib/modules/6.12.*-amd64/build))))
kbuild = +flock Kbuild $(MAKE) -C $(kdir) M=$(CURDIR)

.DEFAULT_GOAL := all
.PHONY: all module tool
all: module tool

module: deps-build
	$(call kbuild) modules

tool: deps-build
	@if [ -f tools/smcr-ctl/Makefile ]; then \
		$(MAKE) -C tools/smcr-ctl; fi

.PHONY: deps-%
deps-%:
	@scripts/deps $*
