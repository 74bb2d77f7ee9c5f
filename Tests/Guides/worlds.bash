# SPDX-License-Identifier: Apache-2.0
# The networks of the guides, and what types the commands there: worlds.bash WORLD FOLDER PROGRAMS, in new namespaces.
#
# FOLDER has for each command N.command, N.user (root or a number), N.input (what the guide shows) and perhaps N.endless;
# N.output and N.status are written.
set -euo pipefail
world=$1 folder=$2 programs=$3
# A copy, which an ordinary user may read.
peer=/mnt/peer

# until_true COMMAND…: for at most 20 seconds.
until_true() {
  local end=$((SECONDS + 20))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "not so after 20 s: $*" >&2; cat /mnt/peers >&2; return 1; }
    read -rt 0.1 -u "$silence" || true
  done
}
exec {silence}<> <(:)

# In the namespace that commands are typed in.
place=()
in_place() { ${place[@]+"${place[@]}"} "$@"; }
as_user=(setpriv --reuid 1000 --regid 1000 --clear-groups)
spawn() { "$@" </dev/null >>/mnt/peers 2>&1 & }
far() { ip netns exec router "$@"; }
has_carrier() { [ "$(in_place cat "/sys/class/net/$1/carrier" 2>/dev/null)" = 1 ]; }
# listens ADDRESS:PORT [PREFIX…]: in the namespace that the words before a command choose.
listens() { "${@:2}" ss -Hltn "src $1" | grep .; }

# The machine's files and folders, which private ones replace.
base() {
  local file
  hostname db1
  mount -t tmpfs -o mode=755 tmpfs /mnt
  mount -t tmpfs -o mode=755 tmpfs /run
  install -m 755 Tests/Guides/peer.py $peer
  mkdir /mnt/bin
  for file in "$programs"/reachability{,-verify,-trace,-rehearse,-report}; do [ ! -e "$file" ] || cp "$file" /mnt/bin; done
  printf '#!/bin/sh\nexec "$@"\n' >/mnt/bin/sudo
  chmod 755 /mnt/bin/*
  export PATH=/mnt/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/mnt
  echo '127.0.0.1 localhost' >/mnt/hosts
  echo 'nameserver 10.9.0.53' >/mnt/resolv.conf
  mount --bind /mnt/hosts /etc/hosts
  # It may be a link to a file below /run.
  file=$(realpath -m /etc/resolv.conf)
  [ -e "$file" ] || install -D /dev/null "$file"
  mount --bind /mnt/resolv.conf "$file"
  mkdir /mnt/cgroup
  mount --rbind /sys/fs/cgroup /mnt/cgroup
  mount -t sysfs -o ro sysfs /sys
  mount --rbind /mnt/cgroup /sys/fs/cgroup
  umount --lazy /mnt/cgroup
  ip link set lo up
}

# cable NAME ADDRESS GATEWAY: an interface whose other end is the router's.
cable() {
  ip link add "$1" type veth peer name "r-$1" netns router
  ip -n router address add "$3/24" dev "r-$1"
  ip -n router link set "r-$1" up
  ip address add "$2/24" dev "$1"
  ip link set "$1" up
  until_true has_carrier "$1"
}

# The network of most guides: eth0 with a router, which has the addresses of the servers itself.
office() {
  local address
  ip netns add router
  ip -n router link set lo up
  for address in 10.9.0.1 10.9.0.7 10.9.0.53; do ip -n router address add $address/32 dev lo; done
  cable eth0 10.1.0.1 10.1.0.254
  ip address add fd00:1::1/64 dev eth0 nodad
  ip -n router address add fd00:1::fe/64 dev r-eth0 nodad
  ip -n router address add fe80::fe/64 dev r-eth0 nodad
  ip -n router address add fd00::1/128 dev lo nodad
  ip route add default via 10.1.0.254
  ip route add default via fe80::fe dev eth0
  printf '%s\n' '10.9.0.7 db.example.com api' '10.9.0.1 example.com www.example.com portal.example' >>/etc/hosts
  authority
  spawn far "$peer" listen 10.9.0.1:22 10.9.0.7:5432
  spawn far "$peer" web 10.9.0.7:8080
  spawn far "$peer" web 10.9.0.1:443 /mnt/certificate.pem /mnt/key.pem
  for address in 10.9.0.1:22 10.9.0.1:443 10.9.0.7:5432 10.9.0.7:8080; do until_true listens $address far; done
}

# A certificate that this machine trusts here.
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=guides \
    -addext subjectAltName=DNS:www.example.com,DNS:portal.example -keyout /mnt/key.pem -out /mnt/certificate.pem 2>/dev/null
  mount --bind /mnt/certificate.pem /etc/ssl/certs/ca-certificates.crt
}

# CommandLine
check() {
  office
  ip -6 route del default
  ip address del fd00:1::1/64 dev eth0
  echo 'fd00:9::1 www.example.com' >>/etc/hosts
  ip link add eth1 type veth peer name r-eth1 netns router
  ip address add 10.2.0.1/24 dev eth1
  ip link set eth1 up
  ip route add blackhole 192.0.2.7
  until_true is_settled eth0
}
is_settled() { ! ip address show dev "$1" | grep tentative && ip -6 address show dev "$1" | grep 'scope link'; }
trouble() {
  ip netns add router
  cable eth0 10.1.0.1 10.1.0.254
  cable eth1 10.2.0.1 10.2.0.254
  ip address add fd00:2::1/64 dev eth1 nodad
  ip link add eth2 type veth peer name r-eth2 netns router
  ip route add default via 10.1.0.254
  ip route add default via 10.2.0.254 metric 200
  ip -6 address flush scope link
  ip -n router link set r-eth0 down
  until_true grep -q 0 /sys/class/net/eth0/carrier
}

# DoesAnythingAnswer: the commands of the guide make the network.
client() {
  bash -e "$folder/work/network.sh"
  place=(ip netns exec client)
  ip -n client link set lo up
  until_true has_carrier eth0
  spawn ip netns exec server "$peer" listen 0.0.0.0:7000
  until_true listens 0.0.0.0:7000 ip netns exec server
  for address; do spawn in_place "${as_user[@]}" "$peer" talk client 10.1.0.1:0 "$address:7000"; done
  until_true have_connected $#
  until_true says '1 peer answers'
}
# It ends with 1 when nothing answers.
explained() { in_place "${as_user[@]}" reachability explain 10.9.0.1 || true; }
have_connected() { [ "$(in_place ss -Htn state established 'dport = :7000' | wc -l)" = "$1" ]; }
says() { explained | grep "$1"; }
cut_uplink() { ip netns exec router sysctl -q -w net.ipv4.ip_forward=0; }
dead_uplink() { client 10.9.0.1 10.9.0.2 && cut_uplink && until_true says 'several peers'; }
uplink_dies() { client 10.9.0.1 10.9.0.2; }
during_uplink_dies() {
  until_true grep answering "$1"
  cut_uplink
  until_true grep stalled "$1"
}
kill_switch() {
  client 10.9.0.1
  in_place nft 'add table inet vpn; add chain inet vpn out { type filter hook output priority 0; }; add rule inet vpn out ip daddr 10.9.0.1 drop'
  until_true says 'local filter'
}
left_behind() {
  client 10.9.0.1
  ip -n client link add eth1 type veth peer name c1 netns router
  ip -n client address add 10.5.0.1/24 dev eth1
  ip -n router address add 10.5.0.254/24 dev c1
  ip -n router link set c1 up
  ip -n client link set eth1 up
  place=(ip netns exec client)
  until_true has_carrier eth1
  # The router of the second link drops what has an address of the first.
  ip netns exec router nft 'add table ip strict; add chain ip strict in { type filter hook prerouting priority 0; }; add rule ip strict in iifname c1 ip saddr 10.1.0.1 drop'
  ip -n client route replace default via 10.5.0.254
  spawn in_place "${as_user[@]}" "$peer" talk client 10.5.0.1:0 10.9.0.1:7000
  until_true says 'left behind'
}

# FirewallRules
firewall() {
  office
  nft 'add table inet site; add chain inet site out { type filter hook output priority 0; }'
  for port in 25 111 135 445 3389; do nft "add rule inet site out tcp dport $port accept"; done
  nft 'add rule inet site out ip daddr 10.9.0.1 tcp dport 443 drop comment "site policy 7"'
}

# Fleets: the folder as Debian's package makes it.
node_exporter() {
  office
  mount -t tmpfs tmpfs /var/lib
  mkdir -p /var/lib/prometheus/node-exporter
  chown daemon:daemon /var/lib/prometheus
}
during_node_exporter() { until_true grep 'target="db.example.com"' /var/lib/prometheus/node-exporter/reachability.prom; }

# RecordingHistory
during_office() { until_true grep -h '"target":' "$folder/work/history.jsonl"; }
two_lines() {
  local recorder
  hostname vm
  cd "$folder/work"
  reachability record 127.0.0.1 --heartbeat 1s --to history.jsonl &
  recorder=$!
  until_true grep '"event":"heartbeat"' history.jsonl
  kill -TERM $recorder
  wait $recorder
  cd "$OLDPWD"
  # The guide's record goes on.
  sed -i 4q "$folder/work/history.jsonl"
}
hour() { /usr/bin/python3 Tests/Guides/hour.py >"$folder/work/history.jsonl"; export TZ='<+01>-1'; }

# RequestsAndVerification: what systemd-networkd 254 writes.
portal() {
  office
  mkdir -p /run/systemd/netif/links
  echo 'CAPTIVE_PORTAL=https://portal.example/api' >"/run/systemd/netif/links/$(cat /sys/class/net/eth0/ifindex)"
}

# WaitAtStart
unplugged() {
  office
  ip -n router link set r-eth0 down
  until_true grep -q 0 /sys/class/net/eth0/carrier
}

# BeforeYouChangeTheNetwork: two uplinks, and a user who is logged in.
two_uplinks() {
  office
  ip -6 route del default
  ip route del default
  cable wlan0 192.168.1.5 192.168.1.1
  ip route add default via 10.1.0.254 dev eth0 metric 100
  ip route add default via 192.168.1.1 dev wlan0 metric 600
  ip -n router address add 203.0.113.9/32 dev lo
  spawn far "$peer" listen 203.0.113.9:443
  spawn "$peer" session sshd 10.1.0.1:22
  until_true listens 10.1.0.1:22
  spawn far "$peer" talk remote 203.0.113.9:50122 10.1.0.1:22
  spawn "${as_user[@]}" "$peer" talk psql 10.1.0.1:41822 10.9.0.7:5432
  until_true listens 203.0.113.9:443 far
  spawn "${as_user[@]}" "$peer" talk backup 192.168.1.5:41900 203.0.113.9:443
  export SSH_CONNECTION='203.0.113.9 50122 10.1.0.1 22'
  until_true has_connections
}
has_connections() { [ "$(ss -Htn state established | wc -l)" = 3 ]; }
two_uplinks_and_script() { two_uplinks; echo 'ip route add 10.77.0.0/16 via 10.1.0.254' >"$folder/work/new-network.sh"; }
two_uplinks_and_right_script() {
  two_uplinks
  # With the first two commands in the other order.
  sed -i '2{h;d};3{G}' "$folder/work/new-address.sh"
}
prohibited() {
  office
  ip rule add pref 90 to 10.9.0.7 prohibit
}

# A container that systemd boots: this machine's programs, the units, and settings of its own.
container() {
  local root=/mnt/root name process
  [ -L /lib ] || { echo "requires a system whose /lib is in /usr"; exit 77; }
  mkdir -p $root
  mount -t tmpfs tmpfs $root
  mkdir -p $root/{usr,etc,var/lib,.layer,.work}
  mount -t overlay overlay -o "lowerdir=/usr,upperdir=$root/.layer,workdir=$root/.work" $root/usr
  for name in bin sbin lib lib32 lib64 libx32; do [ ! -L /$name ] || cp -a /$name $root/$name; done
  cp -a /etc/{passwd,group,ld.so.cache,alternatives,nsswitch.conf} $root/etc
  [ ! -d /etc/dbus-1 ] || cp -a /etc/dbus-1 $root/etc
  tr -d - </proc/sys/kernel/random/uuid >$root/etc/machine-id
  cp /mnt/hosts /mnt/resolv.conf $root/etc
  cp /mnt/bin/* $root/usr/bin
  # Programs that are not static bring their libraries.
  for name in $(ldd "$programs"/reachability{,-report} 2>/dev/null | awk '$3 ~ "^/" && $3 !~ "^/(usr/)?lib" { print $3 }' | sort -u); do
    install -D "$name" "$root$name"
  done
  install -m 644 share/systemd/* $root/usr/lib/systemd/system
  # What stands below a command of 'systemctl edit' is typed into its editor.
  printf '#!/bin/sh\ncp "$INPUT" "$1"\n' >$root/usr/bin/editor-of-guides
  chmod 755 $root/usr/bin/editor-of-guides
  for name in systemd-logind.service getty.target; do install -d $root/etc/systemd/system; ln -s /dev/null $root/etc/systemd/system/$name; done
  "$@" $root
  systemd-nspawn --quiet --directory=$root --machine="guides-$$" --register=no --keep-unit --private-network \
    --bind="$folder" --console=pipe --boot </dev/null >/mnt/console 2>&1 &
  process=$!
  until_true has_booted $process || { echo "systemd does not boot in a container: $(cat /mnt/console)"; exit 77; }
  place=(nsenter --target "$leader" --all -- env "--chdir=$folder/work")
  until_true says_of_manager 'running|degraded'
}
has_booted() {
  leader=$(ps -o pid= --ppid "$1" | tail -n 1)
  leader=${leader// /}
  [ "$leader" ] && nsenter --target "$leader" --all -- systemctl is-system-running | grep -E 'running|degraded|starting'
}
says_of_manager() { in_place systemctl is-system-running | grep -E "$1"; }

gate() { container true; }
after_gate() {
  [ "$(in_place systemctl is-enabled reachability-online.service)" = enabled ]
  [ "$(in_place systemctl is-enabled systemd-networkd-wait-online.service)" = masked ]
}
export_unit() { container make_folder; }
make_folder() { mkdir -p "$1/var/lib/prometheus/node-exporter" && chown daemon:daemon "$1/var/lib/prometheus"; }
exported() { in_place grep "$1" /var/lib/prometheus/node-exporter/reachability.prom; }
# is_confined UNIT: whether its process has no capability, can get none, and has a filter of system calls.
is_confined() {
  local state
  state=$(in_place sh -c "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/\$(systemctl show --value --property=MainPID $1)/status" | awk '{ print $2 }')
  [ "$(tr -s '0\n' '0 ' <<<"$state")" = '0 0 1 2 ' ] || { echo "$1: $state" >&2; return 1; }
}
after_export_unit() {
  until_true exported 'target="db.example.com"'
  is_confined reachability-export.service
  in_place systemctl stop reachability-export.service
  in_place test ! -e /var/lib/prometheus/node-exporter/reachability.prom
}
record_unit_with_metrics() {
  container make_folder
  # There is a record of the unit's own user already.
  in_place systemctl enable --quiet --now reachability-record.service
  until_true recorded '"target":"default"'
}
after_record_unit_with_metrics() {
  until_true exported 'target="default"'
  is_confined reachability-record.service
  in_place test "$(in_place grep -c '"event":"start"' /var/lib/reachability/history.jsonl)" = 2
}
record_unit() { container true; }
recorded() { in_place grep "$1" /var/lib/reachability/history.jsonl; }
after_record_unit() { until_true recorded '"target":"https://www.example.com/"'; }

# Types a command; an endless one is ended when during_WORLD has returned.
type_command() {
  local n=$1 status=0 process user words
  user=$(cat "$n.user")
  words=(bash -ec "$(cat "$n.command")")
  # It asks for a terminal.
  if grep -q 'systemctl edit' "$n.command"; then
    words=(env "INPUT=$n.input" SYSTEMD_EDITOR=editor-of-guides script -qec "$(cat "$n.command")" /dev/null)
  fi
  [ "$user" = root ] || words=(setpriv --reuid "$user" --regid "$user" --clear-groups "${words[@]}")
  cd "$folder/work"
  if [ -e "$n.endless" ]; then
    ${place[@]+"${place[@]}"} "${words[@]}" </dev/null >"$n.output" 2>&1 &
    process=$!
    "during_$world" "$n.output" || cat "$n.output"
    kill -TERM $process || true
    wait $process || status=$?
  else
    in_place timeout 60 "${words[@]}" </dev/null >"$n.output" 2>&1 || status=$?
  fi
  cd "$OLDPWD"
  echo $status >"$n.status"
}

base
"$world"
for file in "$folder"/*.command; do type_command "${file%.command}"; done
if declare -F "after_$world" >/dev/null; then "after_$world"; fi
