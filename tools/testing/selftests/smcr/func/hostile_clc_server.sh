#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A client survives every hostile CLC server
# rfc: C.1, C.5, C.7
# kernel: turns hostile
# nics: 1
# timeout: 150
# A hostile TCP server, who speaks CLC by hand, of an smcr client.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

hostile_peer
together ready
hostile_groups server
check "end of the agent" "$HOSTILE" stop
together end
finish
