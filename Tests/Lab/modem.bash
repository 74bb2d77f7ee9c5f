# SPDX-License-Identifier: Apache-2.0
# A USB modem, which only sysfs distinguishes from Ethernet: up, down, unplugged; in another network namespace.
source "$(dirname "$0")/support.bash"

modprobe configfs
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
modprobe libcomposite || unavailable "the kernel has no USB gadgets"
modprobe dummy_hcd num=2 is_high_speed=1 is_super_speed=0 || unavailable "the kernel has no USB controller to simulate"
modprobe -a cdc_ether cdc_ncm

# gadget NAME CONTROLLER FUNCTION VENDOR PRODUCT
gadget() {
  local folder=/sys/kernel/config/usb_gadget/$1
  mkdir -p "$folder"
  echo "$4" > "$folder/idVendor"
  echo "$5" > "$folder/idProduct"
  mkdir -p "$folder/strings/0x409" "$folder/configs/c.1" "$folder/functions/$3"
  echo 1 > "$folder/strings/0x409/serialnumber"
  ln -s "$folder/functions/$3" "$folder/configs/c.1/"
  echo "$2" > "$folder/UDC"
}
host_side() { basename "$(dirname "$(ls -d /sys/bus/usb/drivers/"$1"/*/net/*/uevent 2> /dev/null | head -n 1)")"; }

follow 192.0.2.1
expect "no route at first" '"reason":"noRoute"'
# The ids of a modem that the driver supports.
must gadget modem dummy_udc.0 ecm.modem 0x19d2 0x1003
must until_true 15 test -e /sys/class/net/wwan0
network=$(cat /sys/kernel/config/usb_gadget/modem/functions/ecm.modem/ifname)
must ip netns add tower
must ip link set "$network" netns tower
ip addr add 192.0.2.2/24 dev wwan0
ip link set wwan0 up
expect "a modem without a network" '"reason":"noCarrier"' '"interface":"wwan0"' '"kind":"cellular"'
ip -n tower link set "$network" up
expect "the network is there" '"status":"reachable"' '"kind":"cellular"' '"isWWAN"' '"transientConnection"' \
  '"linkType":null'
ip -n tower link set "$network" down
expect "the network is gone" '"status":"notReachable"' '"kind":"cellular"'
ip -n tower link set "$network" up
expect "the network is back" '"status":"reachable"' '"kind":"cellular"'
ip link set wwan0 down
expect "the modem is switched off" '"reason":"' '"kind":"cellular"'
ip link set wwan0 up
expect "the modem is switched on" '"status":"reachable"' '"kind":"cellular"'
must ip link add link wwan0 name wwan0.5 type vlan id 5
made wwan0.5 cellular false vlan
echo > /sys/kernel/config/usb_gadget/modem/UDC
expect "the modem is unplugged" '"reason":"noRoute"'
echo dummy_udc.0 > /sys/kernel/config/usb_gadget/modem/UDC
must until_true 15 test -e /sys/class/net/wwan0
ip addr add 192.0.2.2/24 dev wwan0
ip link set wwan0 up
expect "the modem is plugged in again" '"status":"reachable"' '"kind":"cellular"'
never '"kind":"wired"'

# To rtnetlink the modem looks like a radio; the query must not make the kernel load modules for radios.
if [ -e /sys/module/cfg80211 ]; then wrong "the query loaded cfg80211"; else right "the query loaded no module"; fi

# A phone that shares its network looks like a network card, and reports nothing else.
must gadget phone dummy_udc.1 ncm.phone 0x0525 0xa4a1
must until_true 15 sh -c 'ls /sys/bus/usb/drivers/cdc_ncm/*/net/*/uevent'
phone=$(host_side cdc_ncm)
made "$phone" wired false null

# The phone takes the modem's name in another namespace, which this sysfs does not show.
must ip netns add other
must ip link set "$phone" netns other
must ip -n other link set "$phone" name wwan0
ip -n other link set lo up
RUN="nsenter --net=/run/netns/other"
made wwan0 wired false null
RUN="ip netns exec other"
is "the same with the namespace's sysfs" '"kind":"wired"' -- 10.200.$number.2
RUN=
ip netns del other

# The modem in another namespace: with the sysfs of that namespace it is found, otherwise it looks like Ethernet.
must ip netns add away
must ip link set wwan0 netns away
ip -n away link set lo up
RUN="ip netns exec away"
made wwan0 cellular false null
RUN="nsenter --net=/run/netns/away"
is "the modem where sysfs shows another namespace" '"kind":"wired"' '"interface":"wwan0"' -- 10.200.$number.2
RUN=
