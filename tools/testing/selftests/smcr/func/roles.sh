#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Each role has its own link group, protection domain and user ID
# rfc: 2.1, 2.2, 2.2.3, A.3.1
# kernel: turns more
# nics: 1
# Two hosts that each are server and client of the other have a link group for
# each role (RFC 7609 2.2.3), each link's queue pair a protection domain (2.1) and
# each end of a link a user ID (A.3.1) of its own.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
# By a path that is the same on the server, where no runner makes links
there=$BED_TOP/tools/testing/selftests/smcr/func/smcr_io

# resources KIND: of the only adapter
resources() {
	rdma res show rxe0 | sed -n "s/.* $1 \([0-9]*\).*/\1/p"
}

# groups_are ROLE...: what groups there are
# shellcheck disable=SC2317 # called through check
groups_are() {
	diff <(printf '%s\n' "$@") <(smcr-ctl -j linkgroup show |
		grep -o '"role": *"[a-z]*"' | grep -oE 'client|server' | sort)
}

# Both ends of two links
user_ids() {
	smcr-ctl -j link show | grep -oE '"(peer-)?uid": *[0-9]+' |
		grep -oE '[0-9]+' | sort -u | wc -l
}

# back MODE...: a connection from the server's host to this one
back() {
	check "$1 from the server's host" \
		peer "$there" $kind "$CLIENT" "$PORT" "$@"
}

together ready
save begin
qps=$(resources qp)
pds=$(resources pd)
hold $kind "$SERVER" 1
check "one group, in which this host is the client" groups_are client
serve $kind "$CLIENT"
back stream -u 256k -d 256k -H
grew begin LinkGroups -eq 2
grew begin FirstContacts -eq 2
check "another one, in which it is the server" groups_are client server
check "two more queue pairs" test "$(resources qp)" = $((qps + 2))
check "a protection domain for each" test "$(resources pd)" = $((pds + 2))
check "four link user IDs" test "$(user_ids)" = 4
back stream -u 64k -d 64k -H
io_check "a stream to the server" $kind "$SERVER" stream -u 64k -d 64k -H
back quit
served
grew begin LinkGroups -eq 2
grew begin SubsequentContacts -eq 3
by_rdma begin 393216 393216
released "the first connection carried its bytes meanwhile"
io_check "end of the server" $kind "$SERVER" quit
no_conn_left
together end
finish
