#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: 200 connections at once each carry a stream each way
# rfc: 2.1, 3.5.2.1, 3.5.5.2.1, 4.5.1
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

# 200 threads keep the work items of Soft-RoCE waiting: on two processors with
# two beds, the debug kernel acknowledged nothing for up to 3.4 s, and requests
# were sent five times. That is no lost link, and close to what QPs wait.
both patient_qps
both save begin
on server serve $kind "$SERVER"
io_check "200 streams at once, level triggered" \
	$kind "$SERVER" many -n 200 -u 100k -d 100k -e
io_check "200 streams at once, edge triggered, sizes from 1 to 65536" \
	$kind "$SERVER" many -n 200 -u 100k -d 100k -E -x 5
io_check "end of the server" $kind "$SERVER" quit
on server served
both by_rdma begin 40000000 40000000
both grew begin LlcTimeouts -eq 0
both grew begin LinksFailed -eq 0
both no_conn_left
finish
