# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Library of the functional tests; each test sources it. A test prints TAP: each
# check states a fact; "finish" prints the plan and sets the exit status.

FUNC_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SERVER4=${SERVER4:-10.9.0.1}
CLIENT4=${CLIENT4:-10.9.0.2}
SERVER6=${SERVER6:-fd09::1}
CLIENT6=${CLIENT6:-fd09::2}
PORT=7600
# A directory that both hosts of the bed can write and read.
SHARED=${SHARED:-/share}
# Factor for time limits: the kernels that check are slower.
SLOW=3
[ "${BED_KERNEL:-release}" != release ] || SLOW=1
# Limits that tell a hang from slowness grow on a slow machine, too.
PATIENCE=$((SLOW * ${BED_STRETCH:-1}))
DEADLINE=${DEADLINE:-$((30 * PATIENCE))}
export SERVER4 CLIENT4 SERVER6 CLIENT6 PORT SHARED

# Exit status of a program that saw a wrong byte or missed one (lib/util.h). The
# bed fails a run at once that has a check with it, unless a time limit came
# first: a killed program leaves an end behind that its peer did not expect.
WRONG_BYTES=9
IO=$FUNC_DIR/io/smcr_io
SEMANTICS=$FUNC_DIR/sem/semantics
STAT=${STAT:-/proc/net/smcr_stat}

# Exit status of a test that has ended before "finish"
UNFINISHED=3

tap_n=0
tap_bad=0
finished=
# How many lists of cases there were to draw from, and how many cases were drawn
draws=0
draws_cases=0
tmp=$(mktemp -d)
undo=()
jobs_started=()

cd "$FUNC_DIR" || exit 2
# shellcheck source=session.sh
. "$FUNC_DIR/lib/session.sh"
[ "$SIDE" = server ] || echo "TAP version 13"

# calm_timers: set timers long enough for a loaded emulator. Soft-RoCE answers
# late there, and its retransmission then fails (it rejects a write's packets
# that come out of order).
calm_timers() {
	[ -e /proc/sys/net/smcr/qp_timeout ] || return 0
	deadlines $((16 + SLOW / 2)) $((8000 * SLOW)) $((20000 * SLOW)) &&
		sysctl -qw net.smcr.llc_timeout_ms=$((4000 * SLOW)) ||
		echo "# timers stay as they were"
}

# deadlines QP_TIMEOUT CONFIRM_MS HANDSHAKE_MS: set the three deadlines in an
# order that keeps each below the next after each write, whatever the old values
deadlines() {
	sysctl -qw net.smcr.handshake_timeout_ms=3600000 \
		net.smcr.confirm_link_timeout_ms=2000000 \
		net.smcr.qp_timeout="$1" \
		net.smcr.confirm_link_timeout_ms="$2" \
		net.smcr.handshake_timeout_ms="$3"
}
calm_timers

# patient_qps: let new QPs retransmit for half a minute. For tests that drop
# packets on purpose and need the link to survive on a slow host.
patient_qps() {
	undo_later calm_timers
	deadlines 20 60000 120000
}

# undo_later COMMAND...: run a command at the end of the test, pass or fail,
# last one first
undo_later() {
	undo=("$(printf '%q ' "$@")" "${undo[@]}")
}

# undo_now: run the commands of undo_later
undo_now() {
	local cmd

	for cmd in "${undo[@]}"; do
		eval "$cmd" || echo "# cleanup failed: $cmd"
	done
	undo=()
}

# command_not_found_handle COMMAND...: the shell calls this for a command that
# does not exist, such as a misspelt check, in a subshell: hence a note for
# "finish".
command_not_found_handle() {
	echo "# $1: command not found"
	echo "$1" >>"$tmp/unknown"
	return 127
} >&2

# unknown_commands: print the commands that did not exist, each once
unknown_commands() {
	[ -s "$tmp/unknown" ] || return 0
	sort -u "$tmp/unknown"
	: >"$tmp/unknown"
}

# left_undone STATUS: say why a test that ends with this status proves nothing
# as it is; return 1 if there is no reason
left_undone() {
	[ "$SIDE" = client ] && [ "$1" = 0 ] || return 1
	if [ -z "$finished" ]; then
		echo "# the test ended before \"finish\""
	elif [ -s "$tmp/unknown" ]; then
		echo "# command not found:" "$(unknown_commands)"
	else
		return 1
	fi
}

cleanup() {
	local rc=$? pid

	for pid in "${jobs_started[@]}"; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	undo_now
	[ "$SIDE" = server ] || session_close
	! left_undone $rc || rc=
	rm -rf "$tmp"
	[ -n "$rc" ] || exit $UNFINISHED
}
trap cleanup EXIT

ok() {
	if [ "$SIDE" = server ]; then
		session_check ok "$*"
		return
	fi
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $*"
}

not_ok() {
	if [ "$SIDE" = server ]; then
		session_check not_ok "$*"
		return
	fi
	tap_n=$((tap_n + 1))
	tap_bad=$((tap_bad + 1))
	echo "not ok $tap_n - $*"
}

# check FACT COMMAND...: the fact holds if the command succeeds
check() {
	local fact=$1 out rc

	shift
	out=$("$@" 2>&1)
	rc=$?
	[ -z "$out" ] || echo "${out//$'\n'/$'\n'# }" | sed '1s/^/# /'
	if [ $rc -eq 0 ]; then
		ok "$fact"
	else
		echo "# exit status $rc: $*"
		[ $rc -ne $WRONG_BYTES ] || fact+=" [wrong bytes]"
		not_ok "$fact"
	fi
	return $rc
}

# exits STATUS: return the exit status of a program that has ended, for "check"
exits() {
	return "$1"
}

# said STATUS WANTED TEXT: succeed if a program that has ended with this status
# has said what is wanted, else return its status, for "check"
said() {
	[ "$1" -eq $WRONG_BYTES ] || [ "$3" != "$2" ] || return 0
	return $(($1 ? $1 : 1))
}

# worst STATUS: set the caller's $rc, the exit status of several programs, to
# that of one that has failed. Wrong bytes come first, but for a time limit.
worst() {
	case $rc in
	124) ;;
	"$WRONG_BYTES")	[ "$1" -ne 124 ] || rc=124 ;;
	*)		rc=$1 ;;
	esac
}

# right_bytes STATUS: fail only if a program that has ended with this status saw
# a wrong byte or missed one, for "check"
right_bytes() {
	[ "$1" -ne $WRONG_BYTES ] || return $WRONG_BYTES
}

# check_not FACT COMMAND...: the fact holds if the command fails
check_not() {
	local fact=$1 rc=0

	shift
	"$@" >"$tmp/out" 2>&1 || rc=$?
	if [ $rc -eq 0 ] || [ $rc -eq $WRONG_BYTES ]; then
		sed 's/^/# /' "$tmp/out"
		[ $rc -eq 0 ] || fact+=" [wrong bytes]"
		not_ok "$fact"
		return 1
	fi
	ok "$fact"
}

# stat_lines: print the counters that are not 0, several in a line
stat_lines() {
	local name value line='#'

	while read -r name value; do
		[ "$value" != 0 ] || continue
		if ((${#line} + ${#name} + ${#value} > 74)); then
			echo "$line"
			line='#'
		fi
		line+="  $name $value"
	done <"$STAT"
	echo "$line"
}

# evidence: print what may explain a failure, as TAP comments: what this host
# has counted, which groups and links it has, and what its kernel has said of
# them in this test. The output is often all that is left of a check.
evidence() {
	[ -r "$STAT" ] || return 0
	echo "# smcr, RDMA and log at the end:"
	stat_lines
	{
		rdma statistic show | fold -sw 76
		smcr-ctl linkgroup show | head -n 20
		smcr-ctl link show | head -n 20
		dmesg | awk '/ bed: .* begins/ { n = 0 }
			/smcr: |rxe/ { said[n++ % 20] = $0 }
			END { for (i = n > 20 ? n - 20 : 0; i < n; i++)
				print said[i % 20] }'
	} 2>&1 | sed 's/^/# /'
}

# show_evidence: the same of both hosts, once
show_evidence() {
	[ -z "${evidence_shown:-}" ] || return 0
	evidence_shown=1
	evidence
	session_usable || return 0
	ON_LIMIT=$((30 * PATIENCE))
	on server evidence
}

# proves_something: fail if a command did not exist, if no check was made, or no
# case run
proves_something() {
	local name

	while read -r name; do
		not_ok "there is a command $name"
	done < <(unknown_commands)
	[ $draws = 0 ] || [ $draws_cases -gt 0 ] ||
		not_ok "a case was drawn${SMCR_CASE:+ that matches $SMCR_CASE}"
	[ $tap_n -gt 0 ] || not_ok "there is a check"
}

# finish: end the test
finish() {
	[ "$SIDE" = client ] || exit 3
	finished=1
	session_found
	[ -z "$session_asked" ] ||
		not_ok "server: has ended \"$session_asked\" (join server)"
	proves_something
	[ $tap_bad -eq 0 ] || show_evidence
	echo "1..$tap_n"
	[ $tap_bad -eq 0 ]
	exit $?
}

# skip_all REASON: skip the test; with CI=true a skip counts as a failure
skip_all() {
	[ "$SIDE" = client ] || exit 0
	if [ "${CI:-}" = true ]; then
		not_ok "would be skipped: $*"
		finish
	fi
	echo "1..0 # SKIP $*"
	exit 4
}

# wait_until FACT COMMAND...: poll until the command succeeds, for $DEADLINE
# seconds at most
wait_until() {
	local fact=$1 end=$((SECONDS + DEADLINE))

	shift
	until "$@" >/dev/null 2>&1; do
		if [ $? -eq $WRONG_BYTES ]; then
			not_ok "$fact [wrong bytes]"
			return 1
		fi
		if [ $SECONDS -ge $end ]; then
			not_ok "$fact (waited $DEADLINE s)"
			return 1
		fi
		sleep 0.05
	done
	ok "$fact"
}

# save NAME: save all counters under this name
save() {
	local stat_lines

	mapfile stat_lines <"$STAT"
	printf '%s' "${stat_lines[@]}" >"$tmp/stat.$1"
}

# counter NAME [FILE]: set $counter to the value of a counter. A program for this
# would take most of the time of a test in an emulated host.
counter() {
	local stat_lines text

	counter=
	mapfile -t stat_lines <"${2:-$STAT}"
	printf -v text '\n%s' "${stat_lines[@]}"
	[[ $text =~ $'\n'"$1"[[:space:]]+([0-9]+) ]] &&
		counter=${BASH_REMATCH[1]}
}

# value NAME [FILE]: print the value of a counter
value() {
	local counter

	counter "$@" && echo "$counter"
}

# growth NAME COUNTER: set $growth to the growth since "save NAME"
growth() {
	local counter now

	growth=no-counter-$2
	counter "$2" || return
	now=$counter
	counter "$2" "$tmp/stat.$1"
	growth=$((now - counter))
}

# delta NAME COUNTER: print the growth since "save NAME"
delta() {
	local growth rc=0

	growth "$@" || rc=$?
	echo "$growth"
	return $rc
}

# grew NAME COUNTER OPERATOR NUMBER: check the growth since "save NAME"
grew() {
	local growth

	growth "$1" "$2"
	if test "$growth" "$3" "$4" 2>/dev/null; then
		ok "$2 since $1 is $growth (wanted $3 $4)"
	else
		not_ok "$2 since $1 is $growth (wanted $3 $4)"
	fi
}

# no_fallback NAME: check that no connection has fallen back since "save NAME";
# show the reasons of those that have
no_fallback() {
	local growth

	growth "$1" Fallbacks
	if [ "$growth" = 0 ]; then
		ok "nothing fell back to TCP"
	else
		show_deltas "$1" Fallback
		not_ok "nothing fell back to TCP (but $growth did)"
	fi
}

# show_deltas NAME [PREFIX]: print the counters that grew, as TAP comments
show_deltas() {
	local name now
	local -A saved

	while read -r name now; do
		saved[$name]=$now
	done <"$tmp/stat.$1"
	while read -r name now; do
		[ "${name#"${2:-}"}" != "$name" ] || [ -z "${2:-}" ] ||
			continue
		[ "$now" = "${saved[$name]}" ] ||
			echo "# $name +$((now - ${saved[$name]:-0}))"
	done <"$STAT"
}

# by_rdma NAME TX RX: check that RDMA carried at least that many bytes each way
# since "save NAME", and that no connection fell back
by_rdma() {
	grew "$1" TxBytes -ge "$2"
	grew "$1" RxBytes -ge "$3"
	[ "$2" -eq 0 ] || grew "$1" RdmaWrites -gt 0
	no_fallback "$1"
}

# by_tcp NAME REASON COUNT: check that COUNT connections fell back, all for that
# reason, and that RDMA carried no byte
by_tcp() {
	grew "$1" "Fallback$2" -eq "$3"
	grew "$1" Fallbacks -eq "$3"
	grew "$1" RdmaWrites -eq 0
	grew "$1" TxBytes -eq 0
	[ "$(delta "$1" "Fallback$2")" = "$3" ] || show_deltas "$1" Fallback
}

all_closed() {
	[ "$(value ConnsOpened)" = "$(value ConnsClosed)" ]
}

# no_conn_left: wait until all connections are closed, also those that outlive
# their sockets
no_conn_left() {
	wait_until "ConnsOpened equals ConnsClosed" all_closed ||
		echo "# opened $(value ConnsOpened) closed $(value ConnsClosed)"
}

# links_gone: true if all links of this host are freed; for wait_until
links_gone() {
	[ "$(value Links)" = "$(value LinksFreed)" ]
}

groups_gone() {
	[ "$(value LinkGroups)" = "$(value LinkGroupsFreed)" ] && links_gone
}

# no_group_left: wait until all groups have ended, so that the next connection
# makes a first contact. An unused group ends at once if net.smcr.lgr_linger_ms
# is short.
no_group_left() {
	wait_until "no link group is left" groups_gone
}

# end_groups: end this host's groups
end_groups() {
	local num

	for num in $(smcr-ctl linkgroup |
		sed -n 's/^linkgroup \([0-9]*\) .*/\1/p'); do
		smcr-ctl linkgroup terminate "$num" || return
	done
}

# sysctl_for_now NAME VALUE: set a sysctl until the end of this test
sysctl_for_now() {
	local old

	old=$(sysctl -n "$1") || {
		not_ok "sysctl $1 exists"
		return 1
	}
	undo_later sysctl -qw "$1=$old"
	check "$1 can be set to $2" sysctl -qw "$1=$2"
}

# program NAME COMMAND...: start a command in the background; return when it has
# printed "serving"
declare -A program_pid
program() {
	local name=$1 line='' end=$((SECONDS + DEADLINE))

	shift
	: >"$tmp/$name.out"
	"$@" >"$tmp/$name.out" 2>"$tmp/$name.err" &
	program_pid[$name]=$!
	jobs_started+=($!)
	until read -r line <"$tmp/$name.out"; do
		kill -0 "${program_pid[$name]}" 2>/dev/null || break
		[ $SECONDS -lt $end ] || break
		sleep 0.05
	done
	[ "$line" != serving ] || return 0
	sed 's/^/# /' "$tmp/$name.err"
	not_ok "$name begins to serve"
	return 1
}

# program_kill NAME: ask a program to end
program_kill() {
	kill "${program_pid[$1]}"
}

# program_ended NAME: wait for a program's exit; show its output and return its
# exit status. "check" cannot call this, as its subshell has no jobs.
program_ended() {
	local rc=0

	wait "${program_pid[$1]}" || rc=$?
	sed '/^serving$/d; s/^/# /' "$tmp/$1.out" "$tmp/$1.err"
	return $rc
}

# serve KIND ADDRESS [ARGUMENTS...]: start smcr_io's server; return when it
# listens
serve() {
	program serve "$IO" "$1" "$2" "$PORT" serve "${@:3}"
}

# served: wait for the server's exit; check that all its streams were intact
served() {
	local rc=0

	program_ended serve || rc=$?
	check "the server saw every byte in its place" exits $rc
}

# io KIND ADDRESS MODE [OPTIONS...]: run smcr_io's client
io() {
	timeout $((${IO_TIMEOUT:-120} * PATIENCE)) "$IO" "$1" "$2" "$PORT" "${@:3}"
}

# io_check FACT KIND ADDRESS MODE [OPTIONS...]: check that the client succeeds
io_check() {
	check "$1" io "${@:2}"
}

# addresses KIND: set SERVER and CLIENT
addresses() {
	case $1 in
	*6)
		SERVER=$SERVER6
		CLIENT=$CLIENT6
		;;
	*)
		SERVER=$SERVER4
		CLIENT=$CLIENT4
		;;
	esac
	export SERVER CLIENT
}

# reader_lines UNTIL: turn each line of a Python program on descriptor 6 into a
# check, up to stage UNTIL; "end" is the program's end
reader_lines() {
	local line

	while read -r -t "$DEADLINE" line <&6; do
		case $line in
		"stage $1")	return ;;
		good*)		ok "${line#good }" ;;
		bad*)		not_ok "${line#bad }" ;;
		*)		echo "# $line" ;;
		esac
	done
	[ "$1" = end ] || not_ok "the reader reaches stage $1"
}

# steps KIND LOG [SCRIPT...]: run the steps of semantics scripts over KIND; the
# server's agent must be running
steps() {
	addresses "$1"
	timeout $((300 * PATIENCE)) "$SEMANTICS" --remote "$1" "$SERVER" \
		"$CLIENT" "$PORT" "${@:3}" >"$2"
}

# sem_draw KIND: set sem_scripts to the semantics scripts of this run over KIND,
# and sem_least to a number of connections that they exceed. An empty list means
# all scripts. These take four minutes on the debug kernel, so a run there plays
# three of the eight, which SMCR_SEED selects, and that of the address family.
sem_draw() {
	local all=(connect data urgent events close block options process) i seed

	sem_scripts=() sem_least=100
	[ "${BED_KERNEL:-}" = debug ] && [ "${SMCR_SOAK:-0}" != 1 ] || return 0
	seed=${SMCR_SEED:-0}
	for i in 0 1 2; do
		sem_scripts+=("sem/${all[(3 * seed + i) % 8]}.sem")
	done
	sem_scripts+=("sem/ip${1: -1}.sem")
	sem_least=20
	echo "# scripts of this seed: ${sem_scripts[*]}"
}

# lost_bytes LIKE LOG: true if in any case of a log of semantics the first step
# that differs is an end of file where the other kind of socket got bytes. What
# follows a difference proves nothing: a byte may not have been sent.
lost_bytes() {
	awk '/^case / { name = $2; n = differs = 0 }
		{ n++ }
		FNR == NR { like[name, n] = $0; next }
		!differs && $0 != like[name, n] {
			differs = 1
			came = "-> (all|[0-9]+( sum [0-9]+)?) good"
			if (like[name, n] ~ came && / -> (0( |$)|part goodend)/)
				lost = 1
		}
		END { exit !lost }' "$1" "$2"
}

# same_semantics KIND LIKE [SCRIPT...]: check that a run over each kind gives
# the same log. Both run at once, since most steps wait for the other host. The
# server's agent must be running.
same_semantics() {
	local like fact

	steps "$2" "$tmp/log.like" "${@:3}" &
	like=$!
	jobs_started+=("$like")
	check "steps over $1" steps "$1" "$tmp/log.kind" "${@:3}"
	wait $like
	check "steps over $2" exits $? || return
	fact="$1 acts as $2"
	if ! grep -q -e '->' "$tmp/log.kind"; then
		not_ok "there are steps over $1"
	elif diff -U 12 "$tmp/log.like" "$tmp/log.kind" >"$tmp/diff"; then
		ok "$fact in $(grep -c -e '->' "$tmp/log.kind") steps"
	else
		sed 's/^/# /' "$tmp/diff"
		fact+=" ($(grep -c '^+ ' "$tmp/diff") steps differ)"
		! lost_bytes "$tmp/log.like" "$tmp/log.kind" ||
			fact+=" [wrong bytes]"
		not_ok "$fact"
	fi
}

# netdev_of ADDRESS: print the netdev that has this address
netdev_of() {
	ip -o addr show to "$1" | awk '{ print $2; exit }'
}

# without_rnic: delete the Soft-RoCE devices until the end of this test
without_rnic() {
	local rxe dev

	while read -r rxe dev; do
		undo_later rdma link add "$rxe" type rxe netdev "$dev"
		check "$rxe is deleted" rdma link delete "$rxe"
	done < <(rdma link show | awk '{ for (i = 1; i < NF; i++)
		if ($i == "netdev") { sub("/.*", "", $2); print $2, $(i + 1) } }')
}

# grew_to NAME COUNTER NUMBER: true if the counter has grown by NUMBER or more;
# for wait_until
grew_to() {
	[ "$(delta "$1" "$2")" -ge "$3" ]
}

# listens PORT: true if a TCP socket listens, such as smcr's inner socket; for
# wait_until
listens() {
	ss -Hltn "sport = :$1" | grep -q .
}

# hold KIND ADDRESS COUNT [OPTIONS...]: open connections and keep them until
# "released"
hold() {
	local line

	mkfifo "$tmp/hold.in" "$tmp/hold.out"
	"$IO" "$1" "$2" "$PORT" hold -n "$3" "${@:4}" \
		<"$tmp/hold.in" >"$tmp/hold.out" &
	hold_pid=$!
	jobs_started+=("$hold_pid")
	exec 5>"$tmp/hold.in" 6<"$tmp/hold.out"
	rm "$tmp/hold.in" "$tmp/hold.out"
	read -r line <&6
	check "$3 connections are open" test "$line" = held
}

# released FACT: check that each held connection carries a byte each way and is
# closed
released() {
	exec 5>&-
	wait "$hold_pid"
	check "$1" exits $?
	exec 6<&-
}

# agent: start the program that executes the server's steps
agent() {
	program agent "$SEMANTICS" --agent "$SERVER" "$PORT"
}

agent_ended() {
	program_ended agent
	check "the server's agent reports no error" test ! -s "$tmp/agent.err"
}

# agent_stop: end the server's agent from the client
agent_stop() {
	check "end of the agent" "$SEMANTICS" --stop "$SERVER" "$PORT"
	on server agent_ended
}

# compared KIND LIKE: run a whole test with same_semantics()
compared() {
	both addresses "$1"
	both save begin
	on server agent
	sem_draw "$1"
	same_semantics "$1" "$2" "${sem_scripts[@]}"
	grew begin ActiveOpens -gt "$sem_least"
	grew begin RdmaWrites -gt "$sem_least"
	no_fallback begin
	no_conn_left
	agent_stop
	on server grew begin PassiveOpens -gt "$sem_least"
	on server no_fallback begin
	on server no_conn_left
}
