#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections with Linux's AF_SMC move to another link, or get an errno
# rfc: 3.5.4, 4.6
# kernel: release
# nics: 2
# peer: linux
# timeout: 600
# The server host runs the distribution's own SMC-R, and each host has two
# adapters. One of two links ends under 16 streams, because a port here or there
# goes down: smcr or Linux deletes the link. At this end the streams are exact
# or end with an errno, and the link is replaced. How they end at Linux's end is
# shown, not checked. Then ports come and go while links are being added, and
# both ends have the same links after that.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_links_lib.sh
. "$FUNC_DIR/lib/linux_links_lib.sh"

port_here() {
	ip link set eth1 "$1"
}

port_there() {
	peer ip link set eth1 "$1"
}

declare -A name=([port_here]="a port of this host"
	[port_there]="a port of Linux's host")

# links_fail NAME: true if a link has failed since "save NAME"
links_fail() {
	[ "$(delta "$1" LinksFailed)" -gt 0 ]
}

# flip PORT...: the ports go down, in this order, until a link has failed, and
# come up
flip() {
	local port

	save flip
	for port; do
		check "${name[$port]} goes down" "$port" down
	done
	wait_until "a link fails" links_fail flip
	for port; do
		check "${name[$port]} comes up" "$port" up
	done
}

client_leads

settings
for role in client server; do
	for port in port_here port_there; do
		begin $role
		repair=("${name[$port]} comes up" "$port" up)
		run $role "${name[$port]} goes down" $port down
		again
		end $role
	done
done

begin server
for _ in 1 2 3; do
	flip port_here port_there
	again
	flip port_there port_here
	again
done
end server 3
finish
