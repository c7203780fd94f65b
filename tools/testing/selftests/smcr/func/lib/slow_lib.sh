# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Adapters that take long, by ../../mod/slowmr.c. Source this after lib.sh.

params=/sys/module/slowmr/parameters

# adapter NAME VALUE: set a parameter of slowmr.c on this host
adapter() {
	echo "$2" >"$params/$1"
}

# port_asked: true if a question for the state of a port is inside this host's
# adapters
port_asked() {
	[ "$(cat "$params/asking")" != 0 ]
}

# region_made N: true if N calls for a region or a queue pair are inside this
# host's adapters
region_made() {
	[ "$(cat "$params/waiting")" = "$1" ]
}
