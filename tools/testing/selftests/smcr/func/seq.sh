#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: sampled
# nics: 1
# 500 connects in sequence cost no registration and no LLC message.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
together ready
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
io_check "end of the server" $kind "$SERVER" quit
together end
finish
