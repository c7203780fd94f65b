# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# What the tests with a hand-made CLC peer share. To be sourced.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

HOSTILE=$FUNC_DIR/hostile/hostile

# no_negative_list: each case has to try RDMA again, also after a failed first
# contact
no_negative_list() {
	sysctl_for_now net.smcr.negative_ms 0
}

# hostile_peer: this host speaks CLC by hand; the server is under test
hostile_peer() {
	on server hostile_agent
	export US=$CLIENT4 US6=$CLIENT6 THEM=$SERVER4 THEM6=$SERVER6 SLOW
	no_negative_list
	undo_later rmmod synopt
	[ -e /dev/synopt ] ||
		check "a module that offers SMC-R without having it" \
			insmod "$SHARED/synopt.ko"
}

# hostile_groups ROLE: all its groups of cases, a check each
hostile_groups() {
	local name fact

	while IFS=$'\t' read -r name fact; do
		check "$1 $name: $fact" timeout $((60 * SLOW)) \
			"$HOSTILE" run "$1" "$name"
	done < <("$HOSTILE" list "$1")
}

# hostile_agent: the host under test does what the hostile one asks for
hostile_agent() {
	no_negative_list
	program agent "$HOSTILE" agent smcr "$SERVER4" "$SERVER6"
}

# hostile_agent_ended: the agent was asked to end, and has no complaint
hostile_agent_ended() {
	program_ended agent
	check "no complaint of the agent" test ! -s "$tmp/agent.err"
	no_conn_left
}

# hostile_over: the end of a test
hostile_over() {
	check "end of the agent" "$HOSTILE" stop
	on server hostile_agent_ended
	finish
}
