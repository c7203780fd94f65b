#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: What make install leaves makes a boot apply the settings in sysctl.d
# nics: 1
# systemd starts the two programs below at boot, in this order.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

module=${SMCR_KO:-$SHARED/smcr.ko}
systemd=/lib/systemd
value=/proc/sys/net/smcr/transparent
ours=/etc/sysctl.d/60-smcr.conf

unload() {
	[ ! -e "$value" ] || sysctl -qw net.smcr.transparent=0
	rmmod smcr
}

load_modules() {
	# The test's module is in no directory of modprobe.
	echo "install smcr insmod $module" >/etc/modprobe.d/smcr-test.conf
	"$systemd"/systemd-modules-load
}

apply_settings() {
	"$systemd"/systemd-sysctl --prefix=/net/smcr
}

make_boot() {
	make -s -C "$FUNC_DIR/../../../../boot" "$@"
}

undo_later rm -f /etc/modprobe.d/smcr-test.conf
undo_later make_boot uninstall
undo_later rm -f $ours
check "the files are installed" make_boot install
check "all settings of the sample are comments" test -z "$(grep '^[^#]' $ours)"
sed -i 's/^#\(net.smcr.transparent = 1\)/\1/' $ours
check "transparent is wanted" grep -q '^net.smcr.transparent = 1' $ours
check "a second installation" make_boot install
check "it keeps the settings" grep -q '^net.smcr.transparent = 1' $ours

check "the distribution loads modules before it applies settings" \
	grep -q '^After=.*systemd-modules-load.service' \
	$systemd/system/systemd-sysctl.service
check "rmmod" unload
check "boot: modules are loaded" load_modules
check "smcr is among them" test -d /sys/module/smcr
check "boot: settings are applied" apply_settings
check "the setting is there" test "$(<$value)" = 1
undo_later ip netns delete other
check "a new namespace" ip netns add other
check "it has the default" \
	test "$(ip netns exec other sysctl -n net.smcr.transparent)" = 0

check "uninstall" make_boot uninstall
check "it keeps the settings" test -e $ours
check "rmmod" unload
check "boot: modules are loaded" load_modules
check_not "smcr is not among them" test -e /sys/module/smcr
check "insmod" insmod "$module"
finish
