# SPDX-License-Identifier: Apache-2.0
# A network over Bluetooth appears and disappears.
source "$(dirname "$0")/support.bash"

modprobe -a hci_vhci bnep || unavailable "the kernel simulates no Bluetooth"
for tool in btvirt python3; do command -v $tool > /dev/null || unavailable "$tool is not installed"; done
connect() {
  btvirt -l2 > "$work/btvirt.log" 2>&1 &
  controllers=$!
  until_true 10 test -e /sys/class/bluetooth/hci1 || wrong "no controllers: $(cat "$work/btvirt.log")"
  python3 "$(dirname "$0")/bluetooth-pan.py" > "$work/pan.log" 2>&1 &
  pan=$!
  until_true 20 test -e /sys/class/net/bnep1 || wrong "no network over Bluetooth: $(cat "$work/pan.log")"
  ip addr add 192.0.2.2/24 dev bnep0
  ip link set bnep1 up
  ip link set bnep0 up
}
# The kernel keeps the network while the controllers exist.
disconnect() {
  kill $controllers $pan
  wait $controllers $pan
}

follow 192.0.2.1
expect "no route at first" '"reason":"noRoute"'
connect
expect "a network over Bluetooth" '"status":"reachable"' '"interface":"bnep0"' '"kind":"bluetooth"' \
  '"linkType":null' '"flags":["reachable","isDirect"]'
must ip link add link bnep0 name bnep0.5 type vlan id 5
made bnep0.5 bluetooth false vlan
disconnect
expect "the controllers are unplugged" '"reason":"noRoute"'
must until_true 20 test ! -e /sys/class/net/bnep0
connect
expect "the controllers are back" '"status":"reachable"' '"kind":"bluetooth"'

# In another namespace the kind is still known, whatever sysfs shows.
if ip netns add other && ip link set bnep0 netns other 2> "$work/errors"; then
  RUN="nsenter --net=/run/netns/other"
  made bnep0 bluetooth false null
  RUN=
else
  echo "skipped: another namespace ($(cat "$work/errors"))"
fi
disconnect
