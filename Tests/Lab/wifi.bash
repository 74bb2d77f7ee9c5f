# SPDX-License-Identifier: Apache-2.0
# Wi-Fi associates, loses its access point and returns; links on top of it; radios in another network namespace.
source "$(dirname "$0")/support.bash"

modprobe mac80211_hwsim radios=3 || unavailable "the kernel simulates no radios"
for tool in iw hostapd wpa_supplicant; do command -v $tool > /dev/null || unavailable "$tool is not installed"; done
must until_true 10 test -e /sys/class/net/wlan2
must ip netns add ap
must iw phy phy1 set netns name ap
ip netns exec ap ip link set wlan1 up

cat > "$work/ap.conf" <<'X'
interface=wlan1
driver=nl80211
ssid=testnet
hw_mode=g
channel=1
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=twelve-chars
X
cat > "$work/client.conf" <<X
ctrl_interface=$work/control
network={
 ssid="testnet"
 psk="twelve-chars"
 scan_freq=2412
}
X
begin_ap() {
  ip netns exec ap hostapd "$work/ap.conf" > "$work/ap.log" 2>&1 &
  ap=$!
}

follow 192.0.2.1
expect "no route at first" '"status":"notReachable"' '"reason":"noRoute"'
ip addr add 192.0.2.2/24 dev wlan0
ip link set wlan0 up
expect "Wi-Fi without an access point" '"reason":"noCarrier"' '"interface":"wlan0"' '"kind":"wifi"' \
  '"linkType":null'
begin_ap
wpa_supplicant -B -i wlan0 -c "$work/client.conf" -D nl80211 > "$work/client.log" 2>&1
expect "Wi-Fi associates" '"status":"reachable"' '"kind":"wifi"' '"flags":["reachable","isDirect"]'
# Without notice to its clients, so that they miss its beacons.
kill -9 $ap
ip netns exec ap ip link set wlan1 down
expect "the access point is gone" '"status":"notReachable"' '"kind":"wifi"'
ip netns exec ap ip link set wlan1 up
begin_ap
expect "the access point is back" '"status":"reachable"' '"kind":"wifi"'
kill $ap
expect "the access point disassociates its clients" '"status":"notReachable"' '"kind":"wifi"'
begin_ap
expect "the access point is back again" '"status":"reachable"' '"kind":"wifi"'

# On top of the associated interface.
must ip link add link wlan0 name wlan0.5 type vlan id 5
made wlan0.5 wifi false vlan
if modprobe bonding max_bonds=0 && ip link add bond0 type bond mode active-backup miimon 50; then
  ip link set wlan2 down
  ip link set wlan2 master bond0 || wrong "wlan2 does not join a bond"
  made bond0 wifi false bond
fi
ip link set wlan0 down
ip link set wlan0 name wl0
ip link set wl0 up
# The supplicant may or may not follow the interface under its new name.
expect "a renamed interface is Wi-Fi under its new name" '"interface":"wl0"' '"kind":"wifi"'
never '"kind":"wired"'

# Simulated Wi-Fi over Ethernet.
if modprobe virt_wifi 2> /dev/null && ip link add v0 type veth peer name v1 && ip link set v1 up; then
  ip link set v0 up
  must ip link add link v0 name vw0 type virt_wifi
  made vw0 wifi false virt_wifi
fi

# The simulator's monitoring interface carries radio frames, but belongs to no radio.
made hwsim0 other false null

# Radios in another namespace, while sysfs shows this one; then with the sysfs of that namespace.
ip -n ap link set lo up
must ip -n ap link add br0 type bridge
cat >> "$work/ap.conf" <<< "bridge=br0"
kill $ap
wait $ap
begin_ap
must until_true 20 sh -c "ip -n ap link show wlan1 | grep -q 'master br0'"
ip -n ap addr add 192.0.3.1/24 dev wlan1
RUN="nsenter --net=/run/netns/ap"
is "a radio in another namespace" '"kind":"wifi"' '"interface":"wlan1"' -- 192.0.3.2
made br0 wifi false bridge
RUN="ip netns exec ap"
is "the same with the namespace's sysfs" '"kind":"wifi"' '"interface":"wlan1"' -- 192.0.3.2
RUN=

# The interface is deleted, and another one gets its index.
index=$(cat /sys/class/net/wl0/ifindex)
iw dev wl0 del
expect "an interface that is deleted leaves no route" '"reason":"noRoute"'
must ip link add wlan0 index "$index" type bridge
ip addr add 192.0.2.2/24 dev wlan0
ip link set wlan0 up
expect "a bridge under the same name and index is a bridge" '"interface":"wlan0"' '"kind":"wired"' '"linkType":"bridge"'
