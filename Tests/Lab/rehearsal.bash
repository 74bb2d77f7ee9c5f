# SPDX-License-Identifier: Apache-2.0
# Rehearsals of changes to links of many kinds, each compared with what the change then does.
source "$(dirname "$0")/support.bash"
rehearse=$(dirname "$reachability")/reachability-rehearse
[ -x "$rehearse" ] || unavailable "there is no reachability-rehearse beside $reachability"
targets=(default 10.51.0.9 10.52.0.9 10.53.0.9 10.54.0.9 10.55.0.9 10.56.0.9 fd00:51::9)

# The tunnel modules make links in each namespace, whose indexes the copy's own links have to avoid.
for module in 8021q bonding vrf dummy macvlan vxlan wireguard ip_gre sit ipip; do modprobe $module 2> /dev/null; done
must ip link set lo up
for number in 1 2 3 4 5; do
  must ip link add e$number type veth peer name p$number
  must ip link set p$number up
done
add() { ip link add name "$@" 2> /dev/null && must ip link set "$1" up; }
add bond0 type bond mode active-backup miimon 100 && {
  must ip link set e1 master bond0
  must ip link set e2 master bond0
}
for number in 1 2 3 4 5; do must ip link set e$number up; done
add vlan7 link e3 type vlan id 7
add vrf1 type vrf table 110 && must ip link set e4 master vrf1
add dum0 type dummy
add gre1 type gre local 10.53.0.1 remote 10.53.0.2
add wg0 type wireguard
number=51
for link in bond0 vlan7 e5 e4 gre1 wg0; do
  ip address add 10.$number.0.1/24 dev $link 2> /dev/null
  ip address add fd00:$number::1/64 dev $link nodad 2> /dev/null
  number=$((number + 1))
done
must ip route add default via 10.51.0.254 metric 10
must ip route add default via 10.53.0.254 metric 20
until_true 10 grep -qx up /sys/class/net/e5/operstate
until_true 10 grep -qx up /sys/class/net/vlan7/operstate

# The state, reason, interface, gateway and source of each target: of a rehearsal, or of a check.
read -r -d '' reader << 'END'
import json, sys
lines = [json.loads(line) for line in sys.stdin]
values = [line["after"] for line in lines[0]["targets"]] if lines[0]["event"] == "rehearsal" else lines
for value in values:
    interface = value.get("interface")
    name = interface["name"] if isinstance(interface, dict) else interface
    print(value["status"], value["reason"], name, value["gateway"], value["source"])
END

# compare CHANGE UNDO: rehearses a change, makes it, compares, and undoes it.
compare() {
  local predicted found
  # An answer is unknown while the network still changes by the last undoing.
  for _ in $(seq 60); do
    predicted=$("$rehearse" "${targets[@]}" --json -- sh -c "$1" | /usr/bin/python3 -c "$reader")
    [[ $predicted == *"unknown systemError"* ]] || break
    sleep 0.05
  done
  must sh -c "$1"
  # The kernel acts on a carrier up to a second later.
  for _ in $(seq 60); do
    found=$("$reachability" check "${targets[@]}" --json | /usr/bin/python3 -c "$reader")
    [ "$predicted" != "$found" ] || break
    sleep 0.05
  done
  if [ "$predicted" = "$found" ] && [ -n "$found" ]; then
    right "$1"
  else
    wrong "$1: predicted and found differ: $(diff <(echo "$predicted") <(echo "$found"))"
  fi
  must sh -c "$2"
}

compare true true
compare "ip link set e1 down" "ip link set e1 up"
compare "ip link set e1 down; ip link set e2 down" "ip link set e1 up; ip link set e2 up"
compare "ip link set e3 down" "ip link set e3 up; ip link set vlan7 up"
compare "ip link set e5 down" "ip link set e5 up; ip route add default via 10.53.0.254 metric 20; ip address add fd00:53::1/64 dev e5 nodad"
compare "ip link set bond0 down" "ip link set bond0 up; ip route add default via 10.51.0.254 metric 10; ip address add fd00:51::1/64 dev bond0 nodad"
compare "ip route del default metric 10" "ip route add default via 10.51.0.254 metric 10"
compare "ip link set gre1 down" "ip link set gre1 up"
if ip link show vrf1 > /dev/null 2>&1; then compare "ip link set e4 nomaster" "ip link set e4 master vrf1"; fi
if ip link show wg0 > /dev/null 2>&1; then compare "ip link del wg0" true; fi
compare "ip rule add pref 5 to 10.51.0.0/24 prohibit" "ip rule del pref 5"
