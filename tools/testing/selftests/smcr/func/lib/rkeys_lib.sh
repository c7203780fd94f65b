# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What both ends of rkeys.sh count. To be sourced after lib.sh.

# rmbs_made SINCE: with 30 elements of 128 KB, RMBs of 4 and 16 do not suffice
rmbs_made() {
	grew "$1" ConfirmRkeySent -ge 2
	grew "$1" RmbsCreated -ge "$(delta "$1" ConfirmRkeySent)"
}

# rmbs_gone SINCE: those that were confirmed later; the first one stays
rmbs_gone() {
	wait_until "only the first RMB is left" one_rmb
	grew "$1" DeleteRkeySent -ge 1
	wait_until "and only its memory region" one_mr
}

# shellcheck disable=SC2317 # called through wait_until
one_rmb() {
	[ "$(value RmbsCreated)" = $(($(value RmbsFreed) + 1)) ]
}

# shellcheck disable=SC2317 # called through wait_until
one_mr() {
	[ "$(value MrRegistrations)" = $(($(value MrFrees) + 1)) ]
}
