# SPDX-License-Identifier: Apache-2.0
# A modem of the kernel's WWAN subsystem.
source "$(dirname "$0")/support.bash"

modprobe wwan_hwsim devices=1 || unavailable "the kernel simulates no WWAN modems"
must until_true 10 test -e /sys/class/net/wwan0
follow 192.0.2.1
expect "no route at first" '"reason":"noRoute"'
ip addr add 192.0.2.9/32 dev wwan0
ip link set wwan0 up
ip route add 192.0.2.0/24 dev wwan0
expect "cellular is up" '"status":"reachable"' '"kind":"cellular"' '"isWWAN"' '"transientConnection"' \
  '"linkType":"wwan"'
ip link set wwan0 down
expect "cellular is down" '"status":"notReachable"'
ip link set wwan0 up
ip route add 192.0.2.0/24 dev wwan0
expect "cellular is up again" '"status":"reachable"' '"kind":"cellular"'
if ip link add dev wwan0.2 parentdev wwan0 type wwan linkid 2; then made wwan0.2 cellular false wwan; fi
rmmod wwan_hwsim
expect "the modem is unplugged" '"reason":"noRoute"'
