#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Without the module on the server, every call works as over TCP
# rfc: 3.1
# nics: 1
# timeout: 400
# no-smcr: server
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

client_leads

# IPv6 runs only the scripts whose results depend on the family.
sem_draw tcp4
for v in 4 6; do
	both addresses "tcp$v"
	on server agent
	save "v$v"
	same_semantics "fall$v/tcp$v" "tcp$v" "${sem_scripts[@]}"
	grew "v$v" FallbackNoOption -gt 20
	grew "v$v" RdmaWrites -eq 0
	no_conn_left
	agent_stop
	sem_scripts=(sem/connect.sem sem/ip6.sem)
done
finish
