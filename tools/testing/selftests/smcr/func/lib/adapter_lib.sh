# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# An adapter that can do less than Soft-RoCE (../mod/devcap.c). To be sourced
# after lib.sh.

# adapter_can_be_less FACT: until the end of this test
adapter_can_be_less() {
	undo_later rdma link add rxe0 type rxe netdev eth0
	undo_later rmmod devcap
	undo_later rdma link delete rxe0
	check "$1" insmod /share/devcap.ko
}

# adapter_anew NAME VALUE...: make this host's adapter again, so limited
adapter_anew() {
	rdma link delete rxe0
	while [ $# -gt 0 ]; do
		echo "$1 $2" >/proc/devcap
		shift 2
	done
	rdma link add rxe0 type rxe netdev eth0
}
