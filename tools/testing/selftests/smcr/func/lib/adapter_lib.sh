# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# An adapter with lower limits than Soft-RoCE (../mod/devcap.c). Source this
# after lib.sh.

# adapter_can_be_less FACT: load devcap until the end of this test
adapter_can_be_less() {
	undo_later rdma link add rxe0 type rxe netdev eth0
	undo_later rmmod devcap
	undo_later rdma link delete rxe0
	check "$1" insmod /share/devcap.ko
}

# adapter_anew NAME VALUE...: create this host's adapter again, with these
# limits
adapter_anew() {
	rdma link delete rxe0
	while [ $# -gt 0 ]; do
		echo "$1 $2" >/proc/devcap
		shift 2
	done
	rdma link add rxe0 type rxe netdev eth0
}
