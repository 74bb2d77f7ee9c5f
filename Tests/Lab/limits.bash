# SPDX-License-Identifier: Apache-2.0
# Tables of the whole machine that have no room: neighbours, and tracked connections.
source "$(dirname "$0")/support.bash"

# full WHAT FRAGMENT… -- ARGUMENT…: explains a target whose packets do not leave; no rule is why.
full() {
  says explain "$@"
  while [ "$1" != -- ]; do shift; done
  shift
  if "$reachability" explain "$@" | grep "local filter"; then wrong "a filter is named"; fi
}

must ip netns add far
must ip link add e0 type veth peer name p0 netns far
must ip addr add 10.60.0.1/16 dev e0
must ip addr add fd00:60::1/64 dev e0 nodad
must ip link set lo up
must ip link set e0 up
must ip -n far addr add 10.60.0.2/16 dev p0
must ip -n far addr add fd00:60::2/64 dev p0 nodad
must ip -n far link set p0 up
until_true 10 grep -qx up /sys/class/net/e0/operstate

# Neighbours: entries of addresses that do not answer yet cannot give way.
for version in 4 6; do
  settings=/proc/sys/net/ipv$version/neigh/default
  read -r before < "$settings/gc_thresh3"
  for number in 1 2 3; do echo 4 > "$settings/gc_thresh$number"; done
  prefix=10.60.7.
  [ $version = 4 ] || prefix=fd00:60::7:
  # More than the table takes, so that it is full whatever was in it.
  for number in 11 12 13 14 15 16; do (echo > "/dev/udp/$prefix$number/9") 2> /dev/null; done
  full "a table of IPv$version neighbours without room" "the table of neighbours had no room" \
    "sysctl -w net.ipv$version.neigh.default.gc_thresh3=16384" -- "${prefix}99" --probe 80 --timeout 2500ms
  # The advice.
  must sysctl -qw "net.ipv$version.neigh.default.gc_thresh3=16384"
  (echo > "/dev/udp/${prefix}98/9") 2> /dev/null
  if ip neigh show to "${prefix}98" | grep -q .; then right "more room admits more"; else wrong "no entry with more room"; fi
  echo "$before" > "$settings/gc_thresh3"
done

# Tracked connections: those that both ends use cannot give way.
if ! modprobe nf_conntrack 2> /dev/null || ! command -v nft > /dev/null; then
  echo "skipped: connection tracking"
  exit
fi
nft 'table inet site { chain filter { type filter hook output priority 0; ct state new accept; }; }' ||
  unavailable "nft does not track connections"
cat > "$work/fill.py" << 'PY'
import socket, sys, time
far = [socket.create_connection(("10.60.0.2", 80), 20) for _ in range(6)]
for one in far: one.sendall(b"x"); one.recv(1)
print("full", flush=True)
time.sleep(120)
PY
cat > "$work/serve.py" << 'PY'
import socket
server = socket.create_server(("10.60.0.2", 80))
ends = []
while True:
    ends.append(server.accept()[0]); ends[-1].sendall(ends[-1].recv(1))
PY
ip netns exec far python3 "$work/serve.py" &
server=$!
until_true 60 ip netns exec far bash -c 'exec 3<> /dev/tcp/10.60.0.2/80'
python3 "$work/fill.py" > "$work/fill" &
filler=$!
until_true 60 grep -q full "$work/fill" || wrong "no connections"
read -r count < /proc/sys/net/netfilter/nf_conntrack_count
echo 4 > /proc/sys/net/netfilter/nf_conntrack_max
full "a full table of tracked connections" "the table of tracked connections is full" \
  "This machine drops the packets of new connections" "sysctl -w net.netfilter.nf_conntrack_max=8" \
  -- 10.60.0.2 --probe 80 --timeout 2500ms
must sysctl -qw net.netfilter.nf_conntrack_max=$((count * 4))
if "$reachability" explain 10.60.0.2 --probe 80 --timeout 5s > "$work/after" 2>&1; then
  right "a larger table admits more"
else
  wrong "a larger table changes nothing: $(cat "$work/after")"
fi
kill "$server" "$filler"
