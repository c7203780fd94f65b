#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A path that loses long packets costs one slow connection for each MTU
# rfc: 3.5.1.5, A.2.3, C.2
# nics: 1
# timeout: 300
# A switch or a tunnel on the path loses RoCE packets above a length, and nothing
# of TCP. Each step runs over TCP, too, and must give the same result.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/paths_lib.sh
. "$FUNC_DIR/lib/paths_lib.sh"

SMCR=257
limit=$((110 * SLOW))
# More than an MTU, and less than buffers hold
bytes=20000
port=7750

# loses BYTES FROM TO: lose RoCE packets of more than BYTES on this path
loses() {
	check "RoCE packets above $1 bytes from $2 are lost" \
		wire fault "$2" "$3" longer "$1" only roce
}

# stream FACT PROTOCOL [SERVER CLIENT]: check that bytes go both ways
stream() {
	local begin=${EPOCHREALTIME/./}

	talks "$1" talk "$2" "${3:-$SERVER4}" $port "${4:-$CLIENT4}" 0 $bytes
	echo "# after $(((${EPOCHREALTIME/./} - begin) / 1000)) ms"
}

# anew: the next connection is a first contact
anew() {
	both no_conn_left
	both no_group_left
}

# listed BYTES: true if the negative list allows this MTU
listed() {
	smcr-ctl -j negative show | tr -d ' ' |
		grep -q "\"kind\":\"mtu\".*\"mtu\":$1[,}]"
}

# forget FAMILY...: nothing is lost, and the whole MTU works again
forget() {
	local kind

	wire clear
	both sysctl -qw net.smcr.negative_ms=0
	anew
	both save forget
	for kind; do
		addresses "$kind"
		stream "the path is in order, IPv$kind" $SMCR "$SERVER" "$CLIENT"
	done
	both by_rdma forget $bytes $bytes
	both check_not "it is not listed any more" listed '[0-9]*'
	anew
	both sysctl -qw net.smcr.negative_ms=600000
}

# tcp_once NAME HOST MTU: the next connection is plain TCP, as HOST loses its
# packets of this MTU
tcp_once() {
	local other=server

	[ "$2" = client ] || other=client
	both save "$1"
	stream "$1: $3 bytes are lost" $SMCR
	on "$2" by_tcp "$1" Mtu 1
	on $other by_tcp "$1" PeerDeclined 1
	both grew "$1" FirstContacts -eq 1
	both grew "$1" NegativeAdded -eq 1
	both grew "$1" NegativeNoted -eq 0
	both grew "$1" ElementsQuarantined -eq 1
	both grew "$1" HandshakeTimeouts -eq 0
	both check "$1: the next smaller MTU is listed" \
		listed $(($3 > 256 ? $3 / 2 : 0))
	anew
}

# fits NAME MTU: the next connection uses RDMA with this MTU
fits() {
	both save "$1"
	stream "$1: $2 bytes pass" $SMCR
	both by_rdma "$1" $bytes $bytes
	both grew "$1" PathProbes -eq 1
	both grew "$1" MtuReduced -eq 1
	both grew "$1" NegativeAdded -eq 0
	both check "$1: the list remembers it" listed "$2"
}

# link_mtu BYTES: true if the links of this host have this MTU
link_mtu() {
	smcr-ctl -j link show | tr -d ' ' | grep -q "\"mtu\":$1[,}]"
}

# logged MTU: true if the log has named this MTU
logged() {
	dmesg | grep -q "RoCE packets of MTU $1 are lost between"
}

# at_once N: check N connections that begin at the same time
at_once() {
	local i

	for ((i = 0; i < $1; i++)); do
		timeout $limit ./paths.py talk $SMCR "$SERVER4" $port \
			"$CLIENT4" 0 $bytes >"$tmp/at_once.$i" &
		at_once[i]=$!
		jobs_started+=("${at_once[i]}")
	done
	for ((i = 0; i < $1; i++)); do
		wait "${at_once[i]}"
		check "connection $i of $1 (got $(<"$tmp/at_once.$i"))" \
			said $? exact "$(<"$tmp/at_once.$i")"
	done
}

client_leads

undo_later wire clear
both sysctl_for_now net.smcr.lgr_linger_ms 0
both sysctl_for_now net.smcr.negative_ms 600000
on server serves serve $SMCR :: $port
on server serve smcr4 "$SERVER4"

# In order: each end proves the path once, before the first byte
both save order
stream "nothing is lost" $SMCR
both by_rdma order $bytes $bytes
both grew order PathProbes -eq 1
both grew order MtuReduced -eq 0
anew

# Both directions
loses 700 server0 client0
loses 700 client0 server0
stream "over TCP" 0
tcp_once "the longest" server 4096
tcp_once "shorter" server 2048
tcp_once "still shorter" server 1024
both check "the log names the MTU" logged 1024
fits "short" 512
anew
hold smcr4 "$SERVER4" 1
both check "a link with this MTU is shown" link_mtu 512
released "its connection carries bytes"
forget 4

# One direction, and IPv6
loses 2500 client0 server0
tcp_once "from the client" client 4096
fits "from the client, shorter" 2048
anew
both save six
stream "IPv6" $SMCR "$SERVER6" "$CLIENT6"
on client by_tcp six Mtu 1
stream "IPv6, shorter" $SMCR "$SERVER6" "$CLIENT6"
both grew six MtuReduced -eq 1
both grew six TxBytes -ge $bytes
forget 4 6

# Connections that begin together take the steps one after the other, and all of
# them get every byte.
loses 700 server0 client0
both save together
at_once 8
both grew together NegativeAdded -le 3
both grew together HandshakeTimeouts -eq 0
both check "they have found the MTU that passes" listed 512
anew

# No MTU is left
loses 200 server0 client0
tcp_once "no length passes" server 512
tcp_once "none at all" server 256
both save none
for n in 1 2 3; do
	stream "plain TCP at once, $n" $SMCR
done
on server by_tcp none NoOption 3
by_tcp none Mtu 3
both grew none HandshakesStarted -eq 0
both grew none PathProbes -eq 0
both grew none FirstContacts -eq 0
sysctl -qw net.smcr.negative_ms=0
both save none
stream "the server knows, too" $SMCR
on server by_tcp none Mtu 1
by_tcp none PeerDeclined 1
forget 4

# A client that looks like Linux's gets no write before it has answered CONFIRM
# LINK, so it is too late for TCP. The client does not know why. An smcr host keeps
# its element for the next connection, so no DELETE RKEY proves the end of a stream
# as Linux's would; the client waits 1 s for it, and needs the group for so long.
both sysctl_for_now net.smcr.unproven_eof 1
on server sysctl_for_now net.smcr.lgr_linger_ms $((2000 * SLOW))
undo_later sh -c "rmmod version2 2>/dev/null || :"
check "the client looks like Linux's" insmod /share/version2.ko
sysctl -qw net.smcr.negative_ms=0
loses 2500 server0 client0
both save late
line=$(timeout $limit ./paths.py talk $SMCR "$SERVER4" $port)
check "it is reset (got $line)" said $? ECONNRESET "$line"
on server grew late PathProbes -eq 1
on server grew late NegativeAdded -eq 1
on server check "the next smaller MTU is listed" listed 2048
anew
both save late
stream "then a shorter MTU is used" $SMCR
both by_rdma late $bytes $bytes
on server grew late MtuReduced -eq 1
check "the client looks like smcr" rmmod version2
forget 4

# A client whose adapter refuses the write, although it does not look like
# Linux's: the path is in order, and the next first contact writes later.
undo_later sh -c "rmmod badprobe 2>/dev/null || :"
on server undo_later sh -c "rmmod badprobe 2>/dev/null || :"
on server check "the server's next probe has a wrong key" \
	insmod /share/badprobe.ko
both save refused
stream "a probe is refused" $SMCR
both grew refused Fallbacks -eq 1
both grew refused TxBytes -eq 0
both grew refused HandshakeTimeouts -eq 0
on server grew refused NegativeAdded -eq 0
on server grew refused NegativeNoted -eq 0
on server check "probes have their keys" rmmod badprobe
sysctl -qw net.smcr.negative_ms=0
anew
both save refused
stream "the next connection" $SMCR
both by_rdma refused $bytes $bytes
both grew refused PathProbes -eq 1
io_check "end of the server" smcr4 "$SERVER4" quit
on server served
both no_conn_left
finish
