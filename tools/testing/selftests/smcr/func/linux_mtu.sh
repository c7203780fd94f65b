#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Where long packets are lost, smcr and Linux's AF_SMC use a shorter MTU
# rfc: 3.5.1.5, A.2.3, C.2
# kernel: release
# peer: linux
# timeout: 120
# The server host runs the distribution's own SMC-R. The path loses long RoCE
# packets, and nothing of TCP. Linux does not probe; smcr does in both roles.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind

# loses BYTES: lose RoCE packets of more than BYTES in both directions
loses() {
	check "RoCE packets above $1 bytes are lost" \
		wire fault '*' '*' longer "$1" only roce
}

# listed BYTES: true if the negative list allows this MTU
listed() {
	smcr-ctl -j negative show | tr -d ' ' |
		grep -q "\"kind\":\"mtu\".*\"mtu\":$1[,}]"
}

unlisted() {
	! listed '[0-9]*'
}

# linux_reset MODE...: true if a client on the Linux host is reset
linux_reset() {
	on server io "$kind" "$CLIENT" "$@" | grep ECONNRESET
}

client_leads

undo_later wire clear
sysctl_for_now net.smcr.gid_kind 2
sysctl_for_now net.smcr.negative_ms 600000
loses 2500

over_tcp server "$SERVER" client
over_tcp client "$CLIENT" server

# smcr is the client: it declines, and Linux goes on as TCP
on server serve $kind "$SERVER"
save client
io_check "a stream to Linux" $kind "$SERVER" stream -u 64k -d 64k -H
by_tcp client Mtu 1
grew client PathProbes -eq 1
grew client NegativeAdded -eq 1
check "the next smaller MTU is listed" listed 2048
save shorter
on server linux save shorter
io_check "another stream to Linux" $kind "$SERVER" stream -u 64k -d 64k -H
by_rdma shorter 65536 65536
grew shorter MtuReduced -eq 1
grew shorter PathProbes -eq 1
all_valid shorter
on server linux_served shorter Server 1
io_check "end of the server" $kind "$SERVER" quit
on server served
no_conn_left
wire clear

# smcr is the server: its probe comes too late for TCP, so the connection that
# finds the loss is reset. The list is empty after a contact with the whole MTU.
sysctl_for_now net.smcr.lgr_linger_ms 0
check "the list blocks nothing" sysctl -qw net.smcr.negative_ms=0
serve $kind "$CLIENT"
save whole
from_linux "a stream from Linux" stream -u 64k -d 64k -H
by_rdma whole 65536 65536
wait_until "the path is not listed any more" unlisted
no_conn_left
no_group_left
check "the list is used" sysctl -qw net.smcr.negative_ms=600000
loses 2500
save server
check "a stream from Linux is reset" linux_reset stream -u 64k -d 64k -H
wait_until "the server has given up" grew_to server NegativeAdded 1
grew server PathProbes -eq 1
grew server PassiveOpens -eq 0
grew server BadLlc -eq 0
check "the next smaller MTU is listed" listed 2048
no_conn_left
no_group_left
save again
from_linux "another stream from Linux" stream -u 64k -d 64k -H
by_rdma again 65536 65536
grew again MtuReduced -eq 1
all_valid again
# The reset connection has left an error with the program.
from_linux "end of this host's server" quit
program_ended serve
no_conn_left
finish
