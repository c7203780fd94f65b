#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# For tests in which an address leaves the server while connections use it. The
# same steps run over TCP and over smcr, with IPv4 and IPv6. address.py runs on
# both hosts.

# Time after which a connection stops, in milliseconds
grace=1000

# bot NAME PROTOCOL: start this host's program
bot() {
	mkfifo "$tmp/$1.in"
	exec 7<>"$tmp/$1.in"
	# shellcheck disable=SC2016 # sh expands it
	program "$1" sh -c 'exec "$@" <"$0"' "$tmp/$1.in" \
		python3 -B address.py "$2" "$PORT"
	exec 8<"$tmp/$1.out"
	read -r <&8
}

# bot_ends NAME: end it
bot_ends() {
	echo bye >&7
	wait "${program_pid[$1]}"
	exec 7>&- 8<&-
	rm "$tmp/$1.in"
}

# tell WORDS...: have this host's program do something; print what it answers
tell() {
	local line='' end=$((SECONDS + DEADLINE))

	echo "$*" >&7
	until read -r line <&8; do
		((SECONDS < end)) || break
		sleep 0.02
	done
	echo "$line"
}

# is_text ANSWER: true if an answer to "read" or "look" is bytes, which are
# words in lower case
is_text() {
	[[ $1 == [[:lower:]]* && $1 != nothing ]]
}

# came WANTED ANSWER: succeed if an answer to "read" or "look" is the one that
# is wanted, for "check". Other bytes are wrong, unless they are a part of the
# wanted ones or more than these, and an end of file before them misses some.
came() {
	[ "$2" != "$1" ] || return 0
	is_text "$1" || [ "$1" = EOF ] || return 1
	is_text "$2" || [ "$2" = EOF ] || return 1
	[[ $1 != "$2"* && $2 != "$1"* ]] || return 1
	return "$WRONG_BYTES"
}

# whole WANTED FIRST REST: succeed if two numbers of bytes are together the one
# that is wanted, for "check". No answer, or an errno, is no number.
whole() {
	[[ "$1 $2 $3" =~ ^[0-9]+\ [0-9]+\ [0-9]+$ ]] || return 1
	[ "$1" -eq $(($2 + $3)) ] || return "$WRONG_BYTES"
}

# answers FACT HOST ANSWER WORDS...: check what a host's program answers
answers() {
	local answer

	answer=$(on "$2" tell "${@:4}")
	case $4 in
	read | look)	check "$1 ($answer)" came "$3" "$answer" ;;
	*)		check "$1 ($answer)" test "$answer" = "$3" ;;
	esac
}

# learns FACT HOST ANSWER WORDS...: check what the end gets that only a message
# of the other one can tell; over TCP it would wait on
learns() {
	! $smcr || answers "$@"
}

# vip_on NETDEV, vip_off NETDEV: the server gets and loses the address; only
# eth0 gets its subnet, too
vip_on() {
	ip addr add "$vip/$(bits_on "$1")" dev "$1" ${nodad:+"$nodad"}
}

vip_off() {
	ip addr del "$vip/$(bits_on "$1")" dev "$1"
}

bits_on() {
	if [ "$1" = eth0 ]; then
		echo "$bits"
	elif [ -n "$nodad" ]; then
		echo 128
	else
		echo 32
	fi
}

# setting NAME VALUE: set a sysctl of smcr on the server
setting() {
	sysctl -qw "net.smcr.$1=$2"
}

# opened NAME ADDRESS: open a connection
opened() {
	answers "$1 is connected" client ok connect "$1" "$2"
	answers "and accepted" server ok accept "$1"
}

# closed NAME: close both ends
closed() {
	on client tell close "$1" >/dev/null
	on server tell close "$1" >/dev/null
}

# flows NAME: a byte each way
flows() {
	on client tell send "$1" ping >/dev/null
	answers "$1: the server reads" server ping read "$1"
	on server tell send "$1" pong >/dev/null
	answers "$1: the client reads" client pong read "$1"
}

# away COUNT: wait until COUNT connections have stopped since "save case"
away() {
	! $smcr || on server wait_until "$1 connections have stopped" \
		grew_to "case" ConnsAway "$1"
}

# leaves: the address leaves the server with a word unread
leaves() {
	on server save "case"
	save "case"
	on client tell send moved before >/dev/null
	flows stays
	check "the address leaves the server" on server vip_off eth0
	away 1
}

# sleep_over: let the time pass after which a connection stops; that it does not
# can be seen only then
sleep_over() {
	sleep $((2 * grace / 1000))
}

# no_second: smcr has no second adapter on this host until the test ends
no_second() {
	undo_later rdma link add rxe1 type rxe netdev eth1
	check "rxe1 is deleted" rdma link delete rxe1
}

lasts() {
	ip link add dummy7 type dummy && undo_later ip link del dummy7
	ip link set dummy7 up
	sysctl_for_now net.smcr.address_gone_ms "$grace"
}

# use KIND PROTOCOL: set what depends on the kind of socket
use() {
	kind=$1
	smcr=false nodad='' bits=24 any=0.0.0.0
	vip=10.9.0.100
	[ "$2" = 6 ] || smcr=true
	[ "${kind: -1}" = 4 ] ||
		nodad=nodad bits=64 any=:: vip=fd09::100
	addresses "$kind"
}

# begin KIND PROTOCOL: start the programs, and a connection that stays
begin() {
	both use "$1" "$2"
	echo "# $1"
	both save begin
	check "the server gets an address" on server vip_on eth0
	on server bot server "$2"
	bot client "$2"
	answers "the server listens" server ok listen "$any"
	opened stays "$SERVER"
}

end() {
	closed stays
	bot_ends client
	on server bot_ends server
	check "the address is removed" on server vip_off eth0
	! $smcr || by_rdma begin 8 8
	! $smcr || both no_conn_left
}
