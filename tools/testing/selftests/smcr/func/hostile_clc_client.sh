#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A server survives every hostile CLC client
# rfc: C.1, C.2, C.5, C.7
# kernel: turns hostile
# nics: 1
# timeout: 150
# A TCP client that speaks CLC by hand is hostile to an smcr server.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

client_leads

hostile_peer
hostile_groups client
hostile_over
