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
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
groups=8
addresses $kind

# alike: true if all vectors have as many completion queues, but for one
alike() {
	sed 's/^/# vector and queues: /' /proc/vectors
	awk '{ if (NR == 1 || $2 < min) min = $2; if ($2 > max) max = $2 }
		END { exit !(NR > 1 && max - min <= 1) }' /proc/vectors
}

client_leads

on server undo_later rmmod vectors
on server check "queues are counted by vector" insmod /share/vectors.ko
on server serve $kind "$SERVER" -a
on server save begin
for ((i = 0; i < groups; i++)); do
	contact_from "10.9.0.$((100 + i))"
	on server wait_until "the link that it refused is gone" \
		links_left $((i + 1))
done
on server grew begin FirstContacts -eq $groups
on server check "the vectors have equal shares" alike
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
