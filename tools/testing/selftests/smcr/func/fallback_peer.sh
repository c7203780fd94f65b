#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A peer that does not speak SMC-R gets TCP, either way round
# rfc: 3.1, 3.5.1.1, A.1
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

client_leads

for pair in smcr4/tcp4 inet6/tcp6; do
	kind=${pair%/*}
	both addresses "$kind"
	both save "$kind"
	on server serve "${pair#*/}" "$SERVER"
	io_check "$kind: client of a TCP server" "$kind" "$SERVER" sizes
	io_check "$kind: each call" "$kind" "$SERVER" ways -H -u 200k -d 200k
	io_check "$kind: end of the server" "$kind" "$SERVER" quit
	on server served
	# 26 sizes, 18 ways and the end of the server make 45 connections.
	by_tcp "$kind" NoOption 45
	on server grew "$kind" PassiveOpens -eq 0
	no_conn_left
done
for pair in tcp4/smcr4 tcp6/inet6; do
	kind=${pair%/*}
	both addresses "$kind"
	both save "$kind"
	on server serve "${pair#*/}" "$SERVER"
	io_check "$kind: client of an smcr server" "$kind" "$SERVER" sizes
	io_check "$kind: end of the server" "$kind" "$SERVER" quit
	on server served
	grew "$kind" ActiveOpens -eq 0
	on server by_tcp "$kind" NoOption 27
	on server no_conn_left
done
finish
