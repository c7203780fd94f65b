#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of liar_late.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=liar_serve.sh
. "$FUNC_DIR/liar_serve.sh"
