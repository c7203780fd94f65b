#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of curl.sh.
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
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
save begin
nginx -e "$tmp/error.log" -c "$tmp/nginx.conf" -g "daemon off;" &
pid=$!
jobs_started+=("$pid")
wait_until "nginx listens" listens "$PORT"
together ready
together end
check "end of nginx" kill -QUIT $pid
wait $pid
by_rdma begin 17800000 3600
no_conn_left
finish
