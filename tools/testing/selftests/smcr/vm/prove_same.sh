#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A test finds the network that the first test has found
# nics: 3
# no-smcr: both
# The second of two tests in one pair, after prove_spoil.sh.
# shellcheck source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=prove_network.sh
. "$FUNC_DIR/../vm/prove_network.sh"

client_leads

both wait_until "the network is that of the first test" same || both show
finish
