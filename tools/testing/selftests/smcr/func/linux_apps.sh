#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified programs use RDMA between smcr and Linux's AF_SMC
# rfc: 3.5.1, 3.5.2, 4.5, 4.8.1
# kernel: release
# peer: linux
# timeout: 300
# The server host runs the distribution's own SMC-R. The programs know TCP only:
# there a preloaded library makes their sockets AF_SMC ones, as smc_run does,
# and here net.smcr.transparent does it. Each program is server and client at
# either end.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/app_lib.sh
. "$FUNC_DIR/lib/app_lib.sh"

addresses tcp4

# both_save NAME: save the counters of both ends
both_save() {
	save "$1"
	on server linux save "$1"
}

# both_by_rdma NAME TX RX ROLE: check by the counters of both ends that RDMA
# carried at least TX bytes from smcr and RX bytes to it, and that Linux was
# Client or Server of all connections
both_by_rdma() {
	by_rdma "$1" "$2" "$3"
	# Servers close connections with unread bytes: iperf3 at the end of a
	# test, redis when it is shut down.
	messages_valid "$1"
	on server linux grew "$1" RxBytes -ge "$2"
	on server linux grew "$1" TxBytes -ge "$3"
	if [ "$4" = Server ]; then
		on server linux_served "$1" "$4" "$(delta "$1" ActiveOpens)"
	else
		on server linux_served "$1" "$4" "$(delta "$1" PassiveOpens)"
	fi
	no_conn_left
}

# programs CLIENT-HOST SERVER-HOST ADDRESS: run the programs of one direction.
# The bytes are those from the client: iperf3 up and down, then redis, then
# nginx.
programs() {
	both_save "iperf3, $2"
	on "$2" iperf3_begin "$3"
	on "$1" iperf3_both_ways "$3"
	on "$2" app_end iperf3 TERM
	carried "iperf3, $2" "$2" 20000000 16777216
	both_save "redis, $2"
	on "$2" redis_begin "$3"
	on "$1" redis_requests "$3" 500
	on "$1" check "end of the server" redis_do "$3" shutdown nosave
	check "redis-server exits with status 0" on "$2" app_ended redis-server
	carried "redis, $2" "$2" 12000000 12000000
	both_save "nginx, $2"
	on "$2" nginx_begin "$3"
	on "$1" curl_files "$3"
	on "$2" app_end nginx QUIT
	carried "nginx, $2" "$2" 3600 17800000
}

# carried NAME SERVER-HOST UP DOWN: check both ends' counters; UP bytes came
# from the client
carried() {
	if [ "$2" = server ]; then
		both_by_rdma "$1" "$3" "$4" Server
	else
		both_by_rdma "$1" "$4" "$3" Client
	fi
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
sysctl_for_now net.smcr.transparent 1
programs client server "$SERVER"
programs server client "$CLIENT"
finish
