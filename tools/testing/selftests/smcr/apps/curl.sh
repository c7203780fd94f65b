#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified curl and nginx use RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../func/lib/app_lib.sh
. "$FUNC_DIR/lib/app_lib.sh"

addresses tcp4
url=http://$SERVER:$PORT

# nginx_begin: serve a file of 16 MB, its digest and a file of 10 KB
nginx_begin() {
	mkdir "$tmp/www" "$tmp/body"
	chmod -R a+rX "$tmp"
	head -c 16777216 /dev/urandom >"$tmp/www/big"
	head -c 10000 /dev/urandom >"$tmp/www/small"
	(cd "$tmp/www" && sha256sum big >sums)
	cat >"$tmp/nginx.conf" <<-END
		user root;
		worker_processes 1;
		pid $tmp/nginx.pid;
		error_log $tmp/error.log;
		events { }
		http {
			access_log off;
			sendfile on;
			tcp_nopush on;
			client_body_temp_path $tmp/body;
			server {
				listen $SERVER:$PORT;
				root $tmp/www;
			}
		}
	END
	app_begin nginx nginx -e "$tmp/error.log" -c "$tmp/nginx.conf" \
		-g "daemon off;"
}

# get PATH OPTIONS...: fetch a file to $tmp/PATH
get() {
	timeout $((60 * SLOW)) curl -sSf -o "$tmp/$1" "${@:2}" "$url/$1"
}

# get_many: fetch the small file 40 times, 20 at a time, and compare the copies
get_many() {
	local i urls=()

	for i in $(seq 40); do
		urls+=(-o "$tmp/small.$i" "$url/small?$i")
	done
	timeout $((60 * SLOW)) curl -f --no-progress-meter -Z \
		--parallel-max 20 "${urls[@]}" || return 1
	for i in $(seq 40); do
		cmp "$tmp/small.1" "$tmp/small.$i" || return 1
	done
}

client_leads

both sysctl_for_now net.smcr.transparent 1
both save begin
on server nginx_begin
check "a file of 16 MB is fetched" get big
check "its digest is fetched" get sums
check "the digest agrees" sh -c "cd $tmp && sha256sum -c --quiet sums"
check "a range of it is fetched" get big -r 1000000-1999999
check "the range is 1000000 bytes" \
	test "$(stat -c %s "$tmp/big")" -eq 1000000
check "40 files of 10 KB are fetched, 20 at a time" get_many
by_rdma begin 3600 17800000
no_conn_left
on server app_end nginx QUIT
on server by_rdma begin 17800000 3600
on server no_conn_left
finish
