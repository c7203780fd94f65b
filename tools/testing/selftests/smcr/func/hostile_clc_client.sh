#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: No hostile CLC client harms a server
# rfc: C.1, C.2, C.5, C.7
# nics: 1
# timeout: 150
# The hostile peer is a TCP client that builds its CLC messages by hand.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

client_leads

hostile_peer
hostile_groups client
hostile_over
