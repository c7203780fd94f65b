#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The completion queues of a server's groups use all completion vectors alike
# nics: 1
# cpus: 2
# timeout: 90
# A client with several addresses makes a group with each. In each first contact
# the server builds a second link, which the client refuses.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
groups=8
addresses $kind

# from ADDRESS: connect once from this address of the client
from() {
	undo_later ip addr del "$1/24" dev eth0
	check "the client has address $1" ip addr add "$1/24" dev eth0
	ip route replace "$SERVER/32" dev eth0 src "$1"
	io_check "a first contact from $1" $kind "$SERVER" seq -n 1
}

# alike: true if all vectors have as many completion queues, but for one
alike() {
	sed 's/^/# vector and queues: /' /proc/vectors
	awk '{ if (NR == 1 || $2 < min) min = $2; if ($2 > max) max = $2 }
		END { exit !(NR > 1 && max - min <= 1) }' /proc/vectors
}

# refused N: true if N links were refused and are gone
refused() {
	[ "$(($(value Links) - $(value LinksFreed)))" = "$1" ]
}

client_leads

on server undo_later rmmod vectors
on server check "queues are counted by vector" insmod /share/vectors.ko
on server serve $kind "$SERVER" -a
on server save begin
undo_later ip route del "$SERVER/32" dev eth0
for ((i = 0; i < groups; i++)); do
	from "10.9.0.$((100 + i))"
	on server wait_until "the link that it refused is gone" \
		refused $((i + 1))
done
on server grew begin FirstContacts -eq $groups
on server check "the vectors have equal shares" alike
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
