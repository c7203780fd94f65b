#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Streams with Linux's AF_SMC survive a silent path, or get an errno
# rfc: 3.5.5.1.4, 4.6
# kernel: release
# nics: 2
# peer: linux
# timeout: 600
# The server host runs the distribution's own SMC-R, and each host has two
# adapters. Under 16 streams the path of one of two links goes silent. At this
# end the streams are exact or end with an errno; the link is replaced. How they
# end at Linux's end is shown, not checked.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_links_lib.sh
. "$FUNC_DIR/lib/linux_links_lib.sh"

silent() {
	wire fault server1 client1 cut 1 only roce &&
		wire fault client1 server1 cut 1 only roce
}

client_leads

settings
for role in client server; do
	begin $role
	repair=("the path is good" wire clear)
	run $role "the path goes silent" silent
	again
	end $role
done
finish
