# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# A load in many states, and the faults of links under it (../fail). Source this
# after lib.sh, above client_leads. Failover is RFC 7609, 4.6.
# shellcheck disable=SC2034,SC2154 # what lib.sh and the tests set

# shellcheck source=draw_lib.sh
. "$FUNC_DIR/lib/draw_lib.sh"
kind=smcr4
addresses $kind
LOAD=$FUNC_DIR/fail/fail_load
# Two connections of each shape, one led by each end, or one on the debug kernel
conns=${CONNS:-$((SLOW == 1 ? 18 : 9))}
nr_links=2
# Address families, each of which has a group of its own
families=1
pace=${PACE:-$((100 * SLOW))}

# failover_timers: an idle link fails within seconds, and is soon tried again; a
# connection whose peer does not read yet waits for it
failover_timers() {
	local name

	for name in test_link_interval_ms llc_timeout_ms link_retry_min_ms \
		    link_retry_max_ms lgr_linger_ms negative_ms \
		    close_timeout_ms orphan_timeout_ms; do
		undo_later sysctl -qw \
			"net.smcr.$name=$(sysctl -n "net.smcr.$name")"
	done
	sysctl -qw net.smcr.negative_ms=0 \
		net.smcr.test_link_interval_ms=$((1000 * SLOW)) \
		net.smcr.llc_timeout_ms=$((2500 * SLOW)) \
		net.smcr.link_retry_min_ms=500 \
		net.smcr.link_retry_max_ms=1000 \
		net.smcr.lgr_linger_ms=$((300 * SLOW)) \
		net.smcr.close_timeout_ms=600000 \
		net.smcr.orphan_timeout_ms=600000
}

# retry_ms: print the time in which a queue pair retries
retry_ms() {
	local timeout retry

	timeout=$(sysctl -n net.smcr.qp_timeout)
	retry=$(sysctl -n net.smcr.qp_retry)
	echo $(((4096 << timeout) * (retry + 1) / 1000000))
}

# Awk text that sets the fields of a line of smcr-ctl as v[NAME], and the address
# family of a link's group, by its id, as family[GROUP]
# shellcheck disable=SC2016 # it is awk's
fields='
	{ for (i = 1; i < NF; i++)
		v[$i] = $(i + 1) }
	$3 == "link" && "gid" in v {
		family[v["linkgroup"]] = v["gid"] ~ /[.]/ ? 4 : 6 }'

# links: print "LINK CLIENT-NIC SERVER-NIC" for each link in use; LINK is its
# number behind the address family of its group, as 4/1, since each group counts
# for itself. The addresses of the adapters end in 1, 11, 21 on the server, and
# in 2, 12, 22 on the client.
links() {
	smcr-ctl link show | awk "$fields"'
		{ mine = v["gid"]
		  peer = v["peer-gid"]
		  sub(".*[.:]", "", mine)
		  sub(".*[.:]", "", peer)
		  name = family[v["linkgroup"]] "/" v["link"]
		  if (v["state"] == "active") {
			if (mine % 10 == 2)
				print name, int(mine / 10), int(peer / 10)
			else
				print name, int(peer / 10), int(mine / 10)
		  } }'
}

# links_between CLIENT-NIC SERVER-NIC: print the names of these links; "-" is any
# adapter
links_between() {
	links | awk -v c="$1" -v s="$2" '
		(c == "-" || c == $2) && (s == "-" || s == $3) {
			printf "%s ", $1 }'
}

# each_has N: true if the input names N links or more of each family
each_has() {
	awk -v least="$1" -v families=$families '
		{ n[substr($1, 1, 1)]++ }
		END { for (f in n)
			good += n[f] >= least
		      exit good < families }'
}

# has_links N: each group of this host has N links in use, or more; for
# wait_until
has_links() {
	links | each_has "$1"
}

# whole N: likewise, and these N links share no adapter
whole() {
	links | awk '{ f = substr($1, 1, 1) } !c[f, $2]++ && !s[f, $3]++' |
		each_has "$1"
}

# conns_over LINK...: print how many connections write over these links
conns_over() {
	{ smcr-ctl link show; smcr-ctl conn show; } |
		awk -v links=" $* " "$fields"'
		$1 == "conn" {
			name = family[v["linkgroup"]] "/" v["link"]
			n += index(links, " " name " ") > 0 }
		END { print n + 0 }'
}

# tell COMMAND: command the load of this host
tell() {
	"$LOAD" "$tmp/load.ctl" tell "$1"
}

load_serve() {
	local at=("$kind" "$SERVER")

	[ $families = 1 ] || at=("${kind%4}6" ::)
	program load "$LOAD" -t $((60 * SLOW)) -n "$1" "${at[@]}" \
		"$PORT" "$tmp/load.ctl" serve
}

# With two families, every second connection uses IPv6.
load_connect() {
	local six=()

	[ $families = 1 ] || six=(-a "$SERVER6")
	program load "$LOAD" -t $((60 * SLOW)) -n "$1" -p "$pace" \
		-s "$((RANDOM * 32768 + RANDOM))" "${six[@]}" "${@:2}" $kind \
		"$SERVER" "$PORT" "$tmp/load.ctl" load
}

# load_begin N [OPTIONS]: start a load of N connections; return when each is in
# the state that its shape describes
load_begin() {
	on server load_serve "$1"
	load_connect "$@"
	both wait_until "$1 connections are in all their states" tell ready
}

# load_flows: wait until each stream moves
load_flows() {
	both tell watch
	both wait_until "the streams go on" tell flows
}

# load_stop: let all streams end in order
load_stop() {
	both tell go
	both tell stop
}

# load_judged exact|errno: check the results of this host's load; with "errno",
# streams may end so
load_judged() {
	local rc=0

	program_ended load || rc=$?
	check "no stream is broken, and none hangs" exits $rc
	[ "$1" = exact ] || return 0
	check "all streams are exact, none ends with an errno" grep -q \
		'^total .* errno 0 broken 0 unwritten 0 hung 0$' "$tmp/load.out"
}

# intact NAME: the groups are those of "save NAME", no connection was reset, and
# no message was refused
intact() {
	local name

	[ "$(delta "$1" Aborts)" = 0 ] || show_deltas "$1" Reset
	for name in LinkGroups LinkGroupsFreed FirstContacts Aborts BadCdc \
		    BadLlc Fallbacks; do
		grew "$1" "$name" -eq 0
	done
}

# busiest CLIENT-NIC: print "CLIENT-NIC SERVER-NIC" of the link over which most of
# this host's connections write, but not one of the named adapter ("-" is none)
busiest() {
	local num ends

	while read -r num ends; do
		[ "${ends% *}" = "$1" ] ||
			echo "$(conns_over "$num") $ends"
	done < <(links) | sort -rn | { read -r _ ends; echo "$ends"; }
}

# count_moving LINK...: store the number of connections that will move when
# these links fail
count_moving() {
	moving=$(conns_over "$@")
	echo "# $moving connections write over the links $*"
	save fault
	tell mark
}

# unused LINK...: no connection writes over these links
unused() {
	[ "$(conns_over "$@")" = 0 ]
}

# moved LINK...: wait until the connections have left these links
moved() {
	local DEADLINE=$((20 * PATIENCE))

	wait_until "all connections of the link move to another one" \
		grew_to fault ConnsMoved "$moving"
	wait_until "no connection writes over the lost link" unused "$@"
}

# fault CLIENT-NIC SERVER-NIC FACT COMMAND...: have the links between these
# adapters fail ("-" is any), and wait until all connections go on over others
fault() {
	local lost

	# shellcheck disable=SC2046
	read -ra lost < <(links_between "$1" "$2")
	both count_moving "${lost[@]}"
	check "$3" "${@:4}"
	both moved "${lost[@]}"
	load_flows
	echo "# $3: retry time of a QP $(retry_ms) ms"
	both gaps
	lost_links=("${lost[@]}")
}

gaps() {
	echo "# $(tell gaps)"
}

# in_use LINK...: one of these links is in use
in_use() {
	links | grep -qE "^($(tr ' ' '|' <<<"$*")) "
}

# failover_times: print the times of the failovers of this host, by the module's
# own count
failover_times() {
	echo "# $(awk '$1 ~ /^Failover/ { printf "%s %s ", $1, $2 }' "$STAT")"
}

# repaired FACT COMMAND...: remove the cause of a fault, and wait until the lost
# link is replaced
repaired() {
	local begin=$EPOCHREALTIME

	check "$@"
	both wait_until "there are $nr_links links again" has_links "$nr_links"
	echo "# after $(((${EPOCHREALTIME/./} - ${begin/./}) / 1000)) ms"
	both check_not "the number of a lost link is not used again" \
		in_use "${lost_links[@]}"
	links | sed 's/^/# link, adapters: /'
}

# silent CLIENT-NIC SERVER-NIC [HOST]: no RDMA packet passes between these
# adapters, or none from this host
silent() {
	[ "${3:-server}" != server ] ||
		wire fault "server$2" "client$1" cut 1 only roce || return
	[ "${3:-client}" != client ] ||
		wire fault "client$1" "server$2" cut 1 only roce
}

# noise CLIENT-NIC SERVER-NIC FAULT...: RDMA packets between these adapters have
# this fault, both ways
noise() {
	wire fault "server$2" "client$1" "${@:3}" only roce &&
		wire fault "client$1" "server$2" "${@:3}" only roce
}

# qp_error RXE: the queue pairs of this device enter the error state
qp_error() {
	insmod /share/qperr.ko device="$1" && rmmod qperr
}
