# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The server's side of all liar_*.sh: it does what the client's side asks. To
# be sourced after lib.sh.
# shellcheck disable=SC2154 # what lib.sh and the test set

mkfifo "$tmp/serve"
"$FUNC_DIR/liar/liar_app" smcr4 "$SERVER4" "$PORT" $((20 * SLOW)) serve \
	>"$tmp/serve" &
jobs_started+=($!)
read -r line <"$tmp/serve"
check "the server listens" test "$line" = serving
together ready
together end
finish
