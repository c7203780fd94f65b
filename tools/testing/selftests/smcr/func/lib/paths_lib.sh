#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# For tests that run paths.py over both protocols; they set $limit, the seconds
# of a client.

# talks FACT VERB PROTOCOL ADDRESS PORT: check that a connection works
talks() {
	local line rc=0

	line=$(timeout "$limit" ./paths.py "${@:2}") || rc=$?
	check "$1 (got $line)" said $rc exact "$line"
}

# serves VERB PROTOCOL ADDRESS PORT: start a server
serves() {
	program "serve$4" ./paths.py "$@"
}

# counted TABLE: print the number of packets that the nft rules of this host in
# this table have counted
counted() {
	nft list table inet "$1" |
		awk '/counter/ { for (i = 1; i < NF; i++) if ($i == "packets")
			n += $(i + 1) } END { print n + 0 }'
}
