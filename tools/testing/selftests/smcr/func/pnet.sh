#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The PNET table decides which port a netdev's connections use
# rfc: 3.5.1.2
# nics: 2
# timeout: 90
# An entry ties a netdev without a RoCE port to a port on another netdev. The
# table outlasts the port, and a connection does not offer SMC-R while the port
# is missing. The table belongs to its namespace, and refuses a wrong entry with
# a message.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# refused WORDS COMMAND...: true if the command fails with a message like this
refused() {
	local out

	out=$("${@:2}" 2>&1) && return 1
	echo "$out"
	grep -q -- "$1" <<<"$out"
}

# first_link DEVICE: true if the first link of this host's group is on it
first_link() {
	smcr-ctl link show reason first-contact device "$1" | grep .
}

# remove N: delete a Soft-RoCE device of this host
remove() {
	check "rxe$1 is deleted" rdma link delete "rxe$1"
}

# restore N: add it again, with smcr's knowledge of it
restore() {
	check "rxe$1 is added" rdma link add "rxe$1" type rxe netdev "eth$1"
	wait_until "smcr has found it" found "rxe$1/1"
}

# found PORT: true if smcr may use this port
found() {
	smcr-ctl device show device "$1" | grep "state active"
}

no_table() {
	[ -z "$(smcr-ctl pnet)" ]
}

# ended: end the group, so that the next connection chooses a port
ended() {
	local num

	num=$(smcr-ctl linkgroup | sed 's/linkgroup \([0-9]*\) .*/\1/')
	smcr-ctl linkgroup terminate "$num"
	no_group_left
}

# table_has LINE...: true if the table consists of these entries, in this order
table_has() {
	diff <(printf '%s\n' "$@") <(smcr-ctl pnet show)
}

fill_table() {
	local i

	for ((i = 0; i < 130; i++)); do
		smcr-ctl pnet add full netdev "none$i" || return
	done
}

full_and_freed() {
	fill_table 2>&1 | grep "table is full" &&
		[ "$(smcr-ctl pnet | wc -l)" = 128 ] && smcr-ctl pnet flush &&
		no_table
}

client_leads

both undo_later smcr-ctl pnet flush
on server serve $kind "$SERVER" -a
remove 0
save without
io_check "the netdev of the connection has no RoCE port" \
	$kind "$SERVER" stream -u 100k
by_tcp without NoRnic 1

check "the netdev is added to a network" smcr-ctl pnet add lan netdev eth0
save alone
io_check "the network has no port" $kind "$SERVER" stream -u 100k
by_tcp alone NoRnic 1
check "a port on another netdev is added" smcr-ctl pnet add lan device rxe1/1
check "the table has both" table_has "name lan netdev eth0" \
	"name lan device rxe1/1"
save tied
io_check "the netdev is tied to a port" $kind "$SERVER" stream -u 100k
by_rdma tied 100000 0
check "the client uses that port" first_link rxe1/1
on server check "the server, without a table, uses the port of its netdev" \
	first_link rxe0/1
check "the port is deleted" smcr-ctl pnet del lan device rxe1/1
ended
save untied
io_check "the port is not tied any more" $kind "$SERVER" stream -u 100k
by_tcp untied NoRnic 1

restore 0
check "the port is tied again" smcr-ctl pnet add lan device rxe1/1
on server check "the server gets a table, too" \
	smcr-ctl pnet add a-longer-name-16 netdev eth0
on server check "with a port" smcr-ctl pnet add a-longer-name-16 device rxe1/1
io_check "each netdev has a port, and is tied to another one" \
	$kind "$SERVER" stream -u 100k
both check "both hosts use the tied port" first_link rxe1/1
ended

remove 1
both save unplugged
io_check "the tied port is gone" $kind "$SERVER" stream -u 100k
by_tcp unplugged NoRnic 1
grew unplugged HandshakesStarted -eq 0
on server grew unplugged HandshakesStarted -eq 0
check "the table is as before" table_has "name lan netdev eth0" \
	"name lan device rxe1/1"
restore 1
save plugged
io_check "the port is back" $kind "$SERVER" stream -u 100k
by_rdma plugged 100000 0
check "the client uses it again" first_link rxe1/1
ended

check "the other port is added to another network" \
	smcr-ctl pnet add other device rxe0/1
check "the port is deleted" smcr-ctl pnet del lan device rxe1/1
on server check "the network is deleted" smcr-ctl pnet del a-longer-name-16
on server check "the server's table is empty" no_table
io_check "the netdev's network has no port" $kind "$SERVER" stream -u 100k
both check "both hosts use the ports of their netdevs" first_link rxe0/1

check "a netdev is in one network" refused "another network" \
	smcr-ctl pnet add other netdev eth0
check "an entry is added once" refused "exists already" \
	smcr-ctl pnet add lan netdev eth0
check "a name of 17 characters is refused" \
	refused . smcr-ctl pnet add 12345678901234567 netdev eth1
check "a name with a space is refused" refused "printable" \
	smcr-ctl pnet add "a b" netdev eth1
check "an entry with a netdev and a port is refused" refused "either" \
	smcr-ctl pnet add lan netdev eth1 device rxe1/1
check "an entry without either is refused" refused "either" \
	smcr-ctl pnet add lan
check "a device without a port is refused" refused "device and its port" \
	smcr-ctl pnet add lan device rxe0
check "port 0 is refused" refused "from 1" \
	smcr-ctl pnet add lan device rxe0/0
check "an entry that does not exist is not deleted" refused "no such entry" \
	smcr-ctl pnet del lan netdev eth1
check "a user without CAP_NET_ADMIN may not change the table" refused "not permitted" \
	setpriv --reuid nobody --clear-groups smcr-ctl pnet flush
check "another namespace begins without entries" \
	test -z "$(unshare -n smcr-ctl pnet)"
check "an entry can be added there" unshare -n smcr-ctl pnet add there netdev lo
check "the table of this one is as before" table_has "name lan netdev eth0" \
	"name other device rxe0/1"
check "the table is flushed" smcr-ctl pnet flush
check "it has 128 entries at most" full_and_freed
both no_conn_left
finish
