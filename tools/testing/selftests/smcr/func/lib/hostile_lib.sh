# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# Library of the tests whose peer builds CLC messages by hand.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

HOSTILE=$FUNC_DIR/hostile/hostile

# no_negative_list: make each case try RDMA again, even after a failed first
# contact
no_negative_list() {
	sysctl_for_now net.smcr.negative_ms 0
}

# hostile_peer: prepare this host as the hostile peer; the server is under test
hostile_peer() {
	on server hostile_agent
	export US=$CLIENT4 US6=$CLIENT6 THEM=$SERVER4 THEM6=$SERVER6 SLOW
	no_negative_list
	undo_later rmmod synopt
	[ -e /dev/synopt ] ||
		check "load a module that offers SMC-R without speaking it" \
			insmod "$SHARED/synopt.ko"
}

# hostile_list ROLE: write the groups of cases of a role; fail if there is none
hostile_list() {
	"$HOSTILE" list "$1" >"$tmp/groups" && [ -s "$tmp/groups" ]
}

# hostile_groups ROLE: run all groups of cases of a role, with one check each
hostile_groups() {
	local name fact

	hostile_list "$1" || {
		not_ok "there are cases for the role $1"
		return
	}
	while IFS=$'\t' read -r name fact; do
		check "$1 $name: $fact" timeout $((60 * PATIENCE)) \
			"$HOSTILE" run "$1" "$name"
	done <"$tmp/groups"
}

# hostile_agent: start the agent that the hostile peer commands
hostile_agent() {
	no_negative_list
	program agent "$HOSTILE" agent smcr "$SERVER4" "$SERVER6"
}

# hostile_agent_ended: wait for the agent's exit; check that it printed no error
hostile_agent_ended() {
	program_ended agent
	check "the agent reports no error" test ! -s "$tmp/agent.err"
	no_conn_left
}

# hostile_over: end the test
hostile_over() {
	check "end of the agent" "$HOSTILE" stop
	on server hostile_agent_ended
	finish
}
