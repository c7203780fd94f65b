#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: TLS of a program carries its bytes over RDMA, and kernel TLS is refused
# rfc: 5.6
# nics: 1
# timeout: 60
# A TLS library works above the socket. It asks for kernel TLS on a connection
# that is open, gets TCP's answer where there is none, and encrypts for itself.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

serves() {
	program serve python3 -B tls.py serve "$SERVER" "$PORT"
}

client_leads

on server serves
both save tls
rc=0
line=$(timeout $((30 * PATIENCE)) python3 -B tls.py talk "$SERVER" "$PORT" \
	300000) || rc=$?
check "300000 bytes come back through TLS (got $line)" said $rc exact "$line"
both grew tls TxBytes -ge 300000
both no_fallback tls
both no_conn_left
finish
