#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: 500 connections in sequence cost no registration and no LLC message
# rfc: 2.2.3, 3.5.2.1, 3.5.2.2, 3.5.2.3, 3.5.2.4
# nics: 1
# 500 connections in sequence cost no registration and no LLC message. With 16
# at a time none is reset, although the peer may offer an RMB element again
# before the CDC message with the last C of its previous connection has arrived.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# crowd: run 16 clients at once that make 20 connections each
crowd() {
	local pids=() pid rc=0

	for _ in $(seq 16); do
		io "$kind" "$SERVER" seq -n 20 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || worst $?
	done
	return "$rc"
}

client_leads

on server save begin
on server serve $kind "$SERVER"
io_check "the first contact" $kind "$SERVER" seq -n 1
no_conn_left
save begin
io_check "500 times connect, a byte each way, close" \
	$kind "$SERVER" seq -n 500
grew begin ActiveOpens -eq 500
grew begin ConnsOpened -eq 500
grew begin SubsequentContacts -eq 500
grew begin FirstContacts -eq 0
grew begin LlcSent -eq 0
grew begin LlcReceived -eq 0
grew begin MrRegistrations -eq 0
grew begin Aborts -eq 0
by_rdma begin 500 500
no_conn_left
save crowd
check "320 times the same, 16 at a time" crowd
grew crowd ActiveOpens -eq 320
grew crowd Aborts -eq 0
grew crowd ResetRmbeConflict -eq 0
by_rdma crowd 320 320
no_conn_left
io_check "end of the server" $kind "$SERVER" quit
on server served
# Count the first contact, 500, 320 and the connection that ends the server.
on server grew begin PassiveOpens -eq 822
on server grew begin ConnsOpened -eq 822
on server grew begin FirstContacts -le 1
on server grew begin Aborts -eq 0
on server by_rdma begin 820 820
on server no_conn_left
finish
