#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: All connections of a link group use the same VLAN
# rfc: 2.2, 3.5.1.2, 5.1
# nics: 1
# All connections of a link group use the same VLAN (RFC 7609 2.2). Two hosts
# that share two VLANs and an untagged network over one adapter each have three
# groups, and three more by their link-local addresses and GIDs, which are the
# same in each VLAN. net.smcr.gid_kind makes the latter GIDs link-local.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/vlan_lib.sh
. "$FUNC_DIR/lib/vlan_lib.sh"

client_leads

on server vlans 1
vlans 2
both save begin
on server serve smcr6 ::
groups=0
kind=smcr4
for address in 10.9.0.1 10.31.0.1 10.32.0.1 \
	       "$(link_local 1)%$UNTAGGED" "$(link_local 1)%vlan31" \
	       "$(link_local 1)%vlan32"; do
	if [ "${address#*:}" != "$address" ] && [ "$kind" = smcr4 ]; then
		kind=smcr6
		sysctl_for_now net.smcr.gid_kind 2
	fi
	groups=$((groups + 1))
	io_check "a stream to $address" "$kind" "$address" \
		stream -u 256k -d 256k -H
	grew begin FirstContacts -eq $groups
	grew begin LinkGroups -eq $groups
	io_check "another stream to $address" "$kind" "$address" stream \
		-u 64k -d 64k -H
	grew begin SubsequentContacts -eq $groups
	grew begin LinkGroups -eq $groups
done
io_check "end of the server" "$kind" "$address" quit
on server served
on server grew begin LinkGroups -eq 6
on server grew begin SubsequentContacts -ge 6
both by_rdma begin 1966080 1966080
both no_conn_left
finish
