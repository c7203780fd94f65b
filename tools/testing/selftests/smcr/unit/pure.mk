# SPDX-License-Identifier: GPL-2.0
# The files of net/smcr that use no kernel service. The unit tests run them in
# user space (Makefile) and in the kernel (../mod/Kbuild).

PURE	:= clc_msg llc_msg cdc_msg tx_plan conn_state failover rtoken llc_flow \
	   lgr_policy gid spare urgent silence negstate absence tcp_watch \
	   share
