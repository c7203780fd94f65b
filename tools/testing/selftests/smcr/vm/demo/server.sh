#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The serving host of "make demo": two ordinary servers, which know nothing
# of smcr.

sysctl -qw net.smcr.transparent=1 || exit 1
iperf3 -s -D
redis-server --bind 10.9.0.1 --protected-mode no --save '' \
	--daemonize yes >/dev/null
for port in 5201 6379; do
	until ss -Htln "sport = :$port" | grep -q .; do
		read -rt 0.1 <>/run/bed/never
	done
done
barrier serving
barrier end
