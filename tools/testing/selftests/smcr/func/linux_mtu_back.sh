#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Where only Linux's long packets are lost, one connection ends, not each
# rfc: 3.5.1.5, 4.5.3, C.7.1
# kernel: release
# peer: linux
# timeout: 180
# The server host runs the distribution's own SMC-R. The path loses long RoCE
# packets from there, and nothing of TCP. Linux does not probe, so a connection
# finds that out and ends: Linux's adapter gives up, and Linux resets TCP.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind

# loses: lose RoCE packets from Linux that 4 KB of data fill, but not 2 KB
loses() {
	check "RoCE packets from Linux above 2500 bytes are lost" \
		wire fault server0 client0 longer 2500 only roce
}

# listed BYTES: true if the negative list allows this MTU
listed() {
	smcr-ctl -j negative show | tr -d ' ' |
		grep -q '"kind":"mtu".*"mtu":'"$1[,}]"
}

unlisted() {
	! smcr-ctl -j negative show | grep -q '"mtu"'
}

# is_reset MODE...: true if a client of Linux's server is reset, and so gets no
# end of file
is_reset() {
	io "$kind" "$SERVER" "$@" 2>&1 | grep ECONNRESET
}

# found NAME: check that one link was lost since "save NAME", and why
found() {
	wait_until "the next smaller MTU is listed" listed 2048
	grew "$1" LinksFailed -eq 1
	grew "$1" Aborts -eq 1
	grew "$1" NegativeAdded -eq 1
	grew "$1" BadLlc -eq 0
	no_conn_left
	no_group_left
}

# shorter COMMAND...: check that the command now finds RDMA that works
shorter() {
	save shorter
	"$@" stream -u 64k -d 64k -H
	by_rdma shorter 65536 65536
	grew shorter MtuReduced -eq 1
	all_valid shorter
	no_conn_left
	no_group_left
}

# whole COMMAND...: check that a first contact with the whole MTU alone does not
# take the path off the list, but a long packet from Linux does
whole() {
	check "no packet is lost" wire clear
	check "the list blocks nothing" sysctl -qw net.smcr.negative_ms=0
	save whole
	"$@" seq -n 1
	by_rdma whole 1 1
	no_conn_left
	no_group_left
	check "short packets prove nothing" listed 2048
	"$@" stream -u 64k -d 64k -H
	wait_until "long ones prove the path" unlisted
	no_conn_left
	no_group_left
	check "the list is used" sysctl -qw net.smcr.negative_ms=600000
}

client_leads

undo_later wire clear
sysctl_for_now net.smcr.gid_kind 2
sysctl_for_now net.smcr.negative_ms 600000
sysctl_for_now net.smcr.lgr_linger_ms 0

# smcr is the client
loses
over_tcp server "$SERVER" client
on server serve $kind "$SERVER"
save download
check "a stream from Linux is reset" is_reset stream -u 1k -d 64k
found download
shorter io_check "another stream from Linux" $kind "$SERVER"
whole io_check "small and large writes" $kind "$SERVER"
io_check "end of the server" $kind "$SERVER" quit
on server served

# smcr is the server
loses
over_tcp client "$CLIENT" server
serve $kind "$CLIENT"
save upload
on server check_not "a stream from Linux ends" \
	io $kind "$CLIENT" stream -u 64k -d 1k -H
found upload
shorter from_linux "another stream from Linux"
whole from_linux "small and large writes"
from_linux "end of this host's server" quit
program_ended serve
finish
