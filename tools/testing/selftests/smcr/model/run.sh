#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Search all states of the models of this directory with Spin. A correct model
# has to pass; a mutant, in which one rule is missing, has to fail in the way
# that its row names. Prints one TAP line for each.
#
# usage: run.sh [-v] [NAME...]    without NAME, all; -v prints counterexamples
# Environment: OUT, the directory of generated files

set -uo pipefail
cd "$(dirname "$0")" || exit 1
HERE=$PWD
OUT=${OUT:-$HERE/../out/model}
LLC_FLOW=$HERE/../../../../../net/smcr/llc_flow.c
# A search that needs more memory (MB) counts as failed.
MEMORY=1024
verbose=

WRONG='ring\[.*==cons'
RESET='reset.*broken'
STUCK='invalid end state'
BROKEN='assertion violated 0'
REFUSED='rmb.*!=4'
OPEN='rkey.*asked'
TOKENS='known[01]'

# name | model | how it fails, or "pass" | definitions | fact
rows()
{
	local two="-DLINKS=2 -DTOTAL=4"
	local three="-DLINKS=3 -DTOTAL=3 -DLEAST_DEATHS=2"

	cat <<-END
	failover|failover|pass|$two|one move: the stream is exact, or is reset for a reason
	ends|failover|cycle|$two|each run comes to an end
	failover-3|failover|pass|$three|two moves: the same
	bare|failover|pass|$two -DBARE|the same if F alone is valid without a drain
	bare-3|failover|pass|-DLINKS=3 -DTOTAL=2 -DLEAST_DEATHS=2 -DBARE|two moves: the same
	no-cap-2|failover|pass|$two -DBUG_NO_CAP|one move needs no cap on the sender
	time-cap|failover|pass|$two -DBUG_NO_CLOSE -DCAP_TIME|a cap by time makes up for a peer that leaves its end open
	no-cap|failover|$WRONG|$three -DBUG_NO_CAP|caught: no cap on the sender after two moves
	cap-cursor|failover|$WRONG|$three -DBUG_CAP_CURSOR|caught: a cap that takes what was read for what has arrived
	cap-early|failover|$WRONG|$three -DBUG_CAP_EARLY|caught: a cap lifted by a cursor that proves nothing
	f-ignored|failover|$WRONG|$two -DBUG_F_IGNORED|caught: F is ignored
	no-drain|failover|$RESET|$two -DBUG_NO_DRAIN|caught: F is handled ahead of what the old link brought
	f-ends|failover|$WRONG|$two -DBARE -DBUG_F_ENDS|caught: a message behind a valid F is handled ahead of the drain
	no-close|failover|$WRONG|$two -DBUG_NO_CLOSE|caught: the receiver leaves its end of the old link open
	drain-last|failover|$RESET|$three -DBUG_DRAIN_LAST|caught: only the link of the last message is drained
	drain-drops|failover|$RESET|$two -DBUG_DRAIN_DROPS|caught: the drain drops what has arrived
	ss-cursor|failover|$WRONG|$two -DBUG_SS_CURSOR|caught: SS from the consumer cursor
	replay-read|failover|$WRONG|$two -DBUG_REPLAY_READ|caught: replay of what the peer has read
	replay-below|failover|$RESET|$two -DBUG_REPLAY_BELOW|caught: replay announces a position below the last one
	no-flags|failover|$STUCK|$two -DBUG_NO_FLAGS|caught: D is not repeated
	credit-once|failover|$STUCK|$two -DBUG_CREDIT_ONCE|caught: the consumer cursor is not repeated
	llc|llc|pass|-DFAILS=1|two ends finish all LLC exchanges and agree on links and RTokens
	llc-3|llc|pass|-DTHIRD|the same if RKEY messages have a link of their own
	llc-test|llc|pass|-DFAILS=1 -DTESTS=1 -DRMBS=0|the same with TEST LINK at any time
	links-any-time|llc|pass|-DTHIRD -DADD_ASKS=0 -DBUG_LINKS_ANY_TIME|a server may change links while its RKEY request is open
	rkey-any-time|llc|$BROKEN|-DBUG_RKEY_ANY_TIME|caught: RKEY requests while links change
	neg-refuses|llc|$REFUSED|-DBUG_NEG_REFUSES|caught: a refusal with C is final
	held-dropped|llc|$OPEN|-DBUG_HELD_DROPPED|caught: messages to be held are dropped
	wait|llc|$OPEN|-DFAILS=1 -DBUG_WAIT|caught: a reply over a deleted link is awaited
	rkey-again|llc|$TOKENS|-DFAILS=1 -DBUG_RKEY_AGAIN|caught: a request is sent again before its failed link is deleted
	uncovered|llc|$BROKEN|-DTHIRD -DBUG_UNCOVERED|caught: a link fails if an old RKEY request does not name it
	reply-old|llc|$TOKENS|-DTHIRD -DBUG_REPLY_OLD|caught: a reply to an RKEY request holds for a link added since
	cont-deleted|llc|$TOKENS|-DTHIRD -DBUG_CONT_DELETED|caught: a new link gets the RToken of an RMB being deleted
	END
}

# build NAME MODEL HOW DEFINITIONS: make the verifier
build()
{
	local flags='-DSAFETY -DCOLLAPSE -O1'

	# A cycle without progress labels is a run without an end.
	# Mutants fail early, so the compiler's time counts. A search by breadth
	# takes longer and finds a shortest counterexample.
	case $3 in
	pass) ;;
	cycle) flags='-DNP -DCOLLAPSE -O1' ;;
	*)	flags='-DSAFETY -O0'
		[ -z "$verbose" ] || flags='-DSAFETY -DBFS -O1' ;;
	esac
	rm -rf "${OUT:?}/$1"
	mkdir -p "$OUT/$1"
	cd "$OUT/$1" || return
	cp "$HERE/$2.pml" .
	awk -f "$HERE/tables.awk" "$LLC_FLOW" >tables.pml 2>spin.log ||
		return
	# shellcheck disable=SC2086
	spin -a $4 "$2.pml" >spin.log 2>&1 &&
		gcc -w $flags -DMEMLIM=$MEMORY -o pan pan.c \
			>gcc.log 2>&1
}

# search HOW: run the verifier. Status 0 if the result is as HOW says.
search()
{
	local opts='-n -w22 -m1000000'

	[ "$1" != cycle ] || opts+=' -l'
	# shellcheck disable=SC2086
	./pan $opts >pan.log 2>&1 || return
	grep -qE 'max search depth too small|MEMLIM|out of memory' pan.log &&
		return 1
	case $1 in
	pass|cycle)
		grep -q 'errors: 0' pan.log &&
			! grep -q 'Search not completed' pan.log ;;
	*)	grep -qE "^pan:1: .*$1" pan.log ;;
	esac
}

# number PATTERN: the number of the log's line that PATTERN matches
number()
{
	sed -nE "s/^ *([0-9.]+)[^0-9].*$1.*/\1/p" pan.log | head -n 1
}

# trail MODEL DEFINITIONS: print a counterexample in words
trail()
{
	# shellcheck disable=SC2086
	spin -T -t $2 "$1.pml" 2>&1 |
		grep -E '^ *[A-Za-z01].*: |dies$|fails$|lost$' |
		sed 's/^ */#   /'
}

main()
{
	local n=0 bad=0 list row name model how defs fact

	[ "${1:-}" != -v ] || { verbose=1; shift; }
	mapfile -t list < <(rows | while IFS='|' read -r name row; do
		if [ $# -eq 0 ] || [[ " $* " = *" $name "* ]]; then
			echo "$name|$row"
		fi
	done)
	echo "TAP version 13"
	echo "1..${#list[@]}"
	for row in "${list[@]}"; do
		n=$((n + 1))
		# The pattern of a failure has no "|".
		IFS='|' read -r name model how defs fact <<<"$row"
		if ! build "$name" "$model" "$how" "$defs"; then
			sed 's/^/# /' spin.log gcc.log 2>/dev/null
			echo "not ok $n $name: does not build"
			bad=$((bad + 1))
			continue
		fi
		if search "$how"; then
			printf 'ok %d %s: %s\n' $n "$name" "$fact"
		else
			printf 'not ok %d %s: %s\n' $n "$name" "$fact"
			grep -E '^pan|errors:|Warning|Search' pan.log |
				sed 's/^/# /'
			bad=$((bad + 1))
		fi
		printf '# %s states, depth %s, %s MB\n' \
			"$(number 'states, stored')" \
			"$(sed -nE 's/.*depth reached ([0-9]+).*/\1/p' pan.log)" \
			"$(number 'total actual memory')"
		if [ -n "$verbose" ] && [ -e "$model.pml.trail" ]; then
			trail "$model" "$defs"
		fi
	done
	[ $bad -eq 0 ] && [ $n -gt 0 ]
}

main "$@"
