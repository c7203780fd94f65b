#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of liar_llc.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_serve.sh
. "$FUNC_DIR/lib/liar_serve.sh"
