#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of semantics_inet6.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

compared_agent inet6
