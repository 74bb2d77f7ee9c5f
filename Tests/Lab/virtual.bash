# SPDX-License-Identifier: Apache-2.0
# Virtual links: tunnels, VLANs, bonds, teams, VRFs, and the links below them.
source "$(dirname "$0")/support.bash"

# add NAME KIND TUNNEL TYPE COMMAND…: creates a link and checks its kind.
add() {
  local name=$1 kind=$2 tunnel=$3 type=$4
  shift 4
  if ! ${RUN:-} ip "$@" 2> "$work/errors"; then
    echo "skipped: $name ($(tr '\n' ' ' < "$work/errors"))"
    return
  fi
  made "$name" "$kind" "$tunnel" "$type"
}

must ip link add e0 type veth peer name e1
must ip link add f0 type veth peer name f1
for end in e0 e1 f0 f1; do ip link set $end up; done
made e0 wired false veth
modprobe -a bonding max_bonds=0 2> /dev/null
add d0 wired false dummy link add d0 type dummy
add i9 wired false ifb link add i9 type ifb
add e0.7 wired false vlan link add link e0 name e0.7 type vlan id 7
add m0 wired false macvlan link add link e0 name m0 type macvlan mode bridge
add mt0 wired false macvtap link add link e0 name mt0 type macvtap mode bridge
add iv0 wired false ipvlan link add link f0 name iv0 type ipvlan
add br0 wired false bridge link add br0 type bridge
add tm0 wired false team link add tm0 type team
add red wired false vrf link add red type vrf table 100
add wg0 other true wireguard link add wg0 type wireguard
add vx0 other true vxlan link add vx0 type vxlan id 9 dev e0 dstport 4789
add gn0 other true geneve link add gn0 type geneve id 9 remote 192.0.2.1
add gre9 other true gre link add gre9 type gre local 192.0.2.1 remote 192.0.2.2
add gt9 other true gretap link add gt9 type gretap local 192.0.2.1 remote 192.0.2.2
add ip9 other true ipip link add ip9 type ipip local 192.0.2.3 remote 192.0.2.2
add sit9 other true sit link add sit9 type sit local 192.0.2.1 remote 192.0.2.2
add xf9 other true xfrm link add xf9 type xfrm dev e0 if_id 5
add tun9 other true tun tuntap add dev tun9 mode tun
add tap9 other true tun tuntap add dev tap9 mode tap
# Tunnels are as reachable as their other ends.
ip addr add 192.0.2.1/32 dev e0
ip -6 addr add fd00:77::1/128 dev e0 nodad
# carried NAME OPTIONS…: a tunnel without a route to its other end, with one, and with one into itself.
carried() {
  local name=$1 remote=192.0.2.9 family=
  shift
  ip link add "$name" "$@" 2> /dev/null || return 0
  case "$*" in *fd00:*) remote=fd00:77::2 family=-6 ;; esac
  ip link set "$name" up
  ip addr add 10.99.0.1/24 dev "$name"
  is "$name without a route to its other end" '"reason":"noRoute"' "\"interface\":\"$name\"" -- 10.99.0.2
  ip $family route add $remote dev e0
  is "$name over a cable" '"status":"reachable"' '"underlays":[{"remote":"'$remote'","interface":"e0"' -- 10.99.0.2
  ip link set e1 down
  is "$name without a carrier" '"reason":"noCarrier"' '"interface":"e0"' -- 10.99.0.2
  ip link set e1 up
  until_true 10 grep -qx up /sys/class/net/e0/operstate
  ip $family route replace $remote dev "$name"
  is "$name into itself" '"reason":"tunnelLoop"' -- 10.99.0.2
  ip $family route del $remote
  ip link del "$name"
}
carried vu type vxlan id 19 remote 192.0.2.9 dstport 4799
carried gu type geneve id 19 remote 192.0.2.9
carried gru type gre local 192.0.2.1 remote 192.0.2.9
carried gtu type gretap local 192.0.2.1 remote 192.0.2.9
carried ipu type ipip local 192.0.2.1 remote 192.0.2.9
carried vtu type vti local 192.0.2.1 remote 192.0.2.9 key 5
carried g6u type ip6gre local fd00:77::1 remote fd00:77::2
carried t6u type ip6tnl local fd00:77::1 remote fd00:77::2 mode any
# A VLAN over a tunnel is a tunnel.
add vx0.3 other true vlan link add link vx0 name vx0.3 type vlan id 3

# WireGuard up and down.
follow 198.51.100.1
expect "no route at first" '"reason":"noRoute"'
if ip link add wg1 type wireguard; then
  ip addr add 10.66.0.2/32 dev wg1
  ip link set wg1 up
  ip route add 198.51.100.0/24 dev wg1
  expect "WireGuard is up" '"status":"reachable"' '"isTunnel":true' '"linkType":"wireguard"' \
    '"flags":["transientConnection","reachable"]'
  ip link set wg1 down
  expect "WireGuard is down" '"status":"notReachable"'
fi

# A bond that uses one port, then the other; and none.
if ip link add bond5 type bond mode active-backup miimon 50; then
  for port in g h; do
    ip link add ${port}0 type veth peer name ${port}1
    ip link set ${port}1 up
    ip link set ${port}0 master bond5
  done
  ip addr add 10.67.0.1/24 dev bond5
  ip link set bond5 up
  ip route add 198.51.100.0/24 via 10.67.0.254
  expect "a bond is up" '"status":"reachable"' '"interface":"bond5"' '"kind":"wired"' '"linkType":"bond"'
  ip link set g1 down
  ip link set h1 down
  expect "both of its ports are gone" '"reason":"noCarrier"' '"interface":"bond5"'
  ip link set h1 up
  expect "one of them is back" '"status":"reachable"' '"interface":"bond5"'
  ip route del 198.51.100.0/24
  expect "its route is gone" '"reason":"noRoute"'
fi

# A VRF has separate tables.
if ip link show red > /dev/null 2>&1; then
  ip link set f0 master red
  ip addr add 10.68.0.1/24 dev f0
  is "a neighbour in a VRF" '"status":"reachable"' '"interface":"f0"' '"kind":"wired"' -- 10.68.0.2 --interface red
  # Routes may lead out of a VRF, and back in.
  ip route add 10.71.0.0/16 dev e0.7 table 100
  ip route add 10.72.0.0/16 via 10.68.0.2 dev f0
  is "a route out of a VRF" '"status":"reachable"' '"interface":"e0.7"' -- 10.71.0.2 --interface red
  is "a route into a VRF" '"status":"reachable"' '"interface":"f0"' '"gateway":"10.68.0.2"' -- 10.72.0.2
  # The VRF's device delivers, not the loopback interface.
  is "an address in a VRF" '"status":"reachable"' '"interface":"f0"' -- 10.68.0.1 --interface red
  ip link set lo down
  is "the same without the loopback interface" '"status":"reachable"' '"interface":"f0"' -- 10.68.0.1 --interface red
  is "an address outside" '"reason":"interfaceDown"' '"interface":"lo"' -- 10.67.0.1
  ip link set lo up
  ip link set red down
  is "an address in a VRF that is down" '"reason":"interfaceDown"' '"interface":"red"' -- 10.68.0.1 --interface f0
  ip link set red up
fi

# A VLAN follows the link below it. A macvlan in another namespace does not take the index for a link there.
kill "$watcher"
follow 10.69.0.2
expect "no route for the VLAN's network" '"reason":"noRoute"'
must ip link add link e0 name e0.9 type vlan id 9
ip addr add 10.69.0.1/24 dev e0.9
ip link set e0.9 up
expect "a VLAN is up" '"status":"reachable"' '"linkType":"vlan"'
ip link set e1 down
expect "its link has lost its carrier" '"reason":"noCarrier"' '"interface":"e0.9"'
ip link set e1 up
expect "its link has a carrier again" '"status":"reachable"'
must ip netns add other
ip link set m0 netns other
RUN="nsenter --net=/run/netns/other"
# Unless the tunnels' modules have created a link with this index in the namespace.
$RUN ip link add d9 index "$(cat /sys/class/net/e0/ifindex)" type wireguard 2> /dev/null
made m0 wired false macvlan
RUN=
