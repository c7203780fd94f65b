# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Tests whose server host runs the distribution's own SMC-R ("# peer: linux").
# Source this after lib.sh. Linux's AF_SMC has the numbers of AF_SMCR, so the
# test's programs run unchanged there.
# shellcheck disable=SC2154 # what lib.sh and the test set

# linux COMMAND...: run save or grew with the counters of Linux's SMC-R
linux() {
	"$FUNC_DIR/lib/linux_stat.py" >"$tmp/linux.now" || return
	STAT=$tmp/linux.now "$@"
}

# linux_value NAME: print a counter of Linux's SMC-R; 0 for one that it omits
linux_value() {
	linux value "$1" || echo 0
}

# linux_served NAME ROLE COUNT: check that Linux has had that many SMC-R
# connections as Client or Server since "linux save NAME", and fallen back in
# none
linux_served() {
	linux grew "$1" "$2V1" -eq "$3"
	linux grew "$1" Fallbacks -eq 0
	linux grew "$1" "$2Errors" -eq 0
}

# linux_dialect: true if all link groups of this host speak the Linux dialect
linux_dialect() {
	smcr-ctl -j linkgroup show | python3 -c '
import json, sys
groups = json.load(sys.stdin)
sys.exit(not groups or any(g["dialect"] != "linux" for g in groups))'
}

# all_valid NAME: check that no message of the peer was invalid, no connection
# was aborted and no link has failed since "save NAME"
all_valid() {
	messages_valid "$1"
	grew "$1" Aborts -eq 0
}

# messages_valid NAME: like all_valid, but programs may abort connections
messages_valid() {
	grew "$1" BadClc -eq 0
	grew "$1" BadLlc -eq 0
	grew "$1" BadCdc -eq 0
	grew "$1" LinksFailed -eq 0
}

# from_linux FACT MODE [OPTIONS...]: check that a program on the Linux host
# succeeds as client of this host
from_linux() {
	on server io_check "$1" "$kind" "$CLIENT" "${@:2}"
}

# over_tcp HOST ADDRESS CLIENT: check that the loss does not concern TCP between
# a server at HOST's ADDRESS and the host CLIENT
over_tcp() {
	on "$1" serve tcp4 "$2"
	on "$3" io_check "a stream over TCP" tcp4 "$2" stream -u 64k -d 64k -H
	on "$3" io_check "end of the server" tcp4 "$2" quit
	on "$1" served
}
