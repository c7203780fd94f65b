#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Streams with Linux's AF_SMC are exact when a link under them is deleted
# rfc: 3.5.5.1.3, 4.6
# kernel: release
# nics: 2
# peer: linux
# timeout: 400
# The server host runs the distribution's own SMC-R, and each host has two
# adapters. An administrator of this host deletes one of two links under 16
# streams. Their connections move to the other link, and the deleted one is
# replaced, with smcr as client and as server. Linux ends half-closed streams and
# may end the whole group; then the run shows nothing, and another one follows.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_links_lib.sh
. "$FUNC_DIR/lib/linux_links_lib.sh"

delete_link() {
	smcr-ctl link del "$(smcr-ctl link show state active device rxe1/1 |
		sed -n 's/.* link \([0-9]*\) .*/\1/p')"
}

client_leads

settings
for role in client server; do
	shown=false
	for _ in 1 2 3; do
		begin $role
		run $role "an administrator deletes a link" delete_link
		exact
		again
		end $role
		! $shown || break
	done
	check "smcr, the $role: the streams of a deleted link were exact" $shown
done
finish
