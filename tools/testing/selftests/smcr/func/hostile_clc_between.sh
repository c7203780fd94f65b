#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: One changed or late CLC message between honest peers does no harm
# rfc: 3.5.2.3, 3.5.2.4, A.2.5, C.4, C.6
# nics: 1
# timeout: 120
# One CLC message of a subsequent contact is changed between honest peers, or
# comes after the data that follow it.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

client_leads

hostile_peer
sysctl_for_now net.smcr.loopback 1
export OTHER=10.9.0.101
undo_later ip addr del $OTHER/24 dev eth0
check "this host has another address" ip addr add $OTHER/24 dev eth0
hostile_groups relay
hostile_over
