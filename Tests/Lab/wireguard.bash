# SPDX-License-Identifier: Apache-2.0
# Evidence through a WireGuard tunnel whose remote end is gone, while its link and its routes stay.
source "$(dirname "$0")/support.bash"

command -v wg > /dev/null || unavailable "requires wg (package wireguard-tools)"
ip link add wg9 type wireguard 2> /dev/null || unavailable "requires a kernel with WireGuard"
ip link del wg9

ip netns add far
ip netns exec far ip link set lo up
must ip link add u0 type veth peer name u1 netns far
ip addr add 192.0.2.1/24 dev u0
ip link set u0 up
ip -n far addr add 192.0.2.2/24 dev u1
ip -n far link set u1 up
umask 077
wg genkey > "$work/near" && wg genkey > "$work/far"
near=$(wg pubkey < "$work/near") far=$(wg pubkey < "$work/far")
ip link add wg0 type wireguard
ip -n far link add wg0 type wireguard
wg set wg0 private-key "$work/near" peer "$far" endpoint 192.0.2.2:51820 allowed-ips 10.66.0.0/24
ip netns exec far wg set wg0 listen-port 51820 private-key "$work/far" peer "$near" allowed-ips 10.66.0.0/24
ip addr add 10.66.0.1/24 dev wg0
ip link set wg0 up
ip -n far addr add 10.66.0.2/24 dev wg0
ip -n far link set wg0 up

cat > "$work/server.py" << 'END'
import socket, threading
listener = socket.socket()
listener.bind(("10.66.0.2", 7000))
listener.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("10.66.0.2", 7001))
def read(connection):
    while connection.recv(1000): pass
while True:
    threading.Thread(target=read, args=(listener.accept()[0],), daemon=True).start()
END
cat > "$work/client.py" << 'END'
import socket, sys, time
if sys.argv[1] == "tcp":
    stream = socket.create_connection(("10.66.0.2", 7000))
    send = lambda: stream.send(b"x" * 50)
else:
    stream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    send = lambda: stream.sendto(b"x" * 50, ("10.66.0.2", 7001))
while True:
    send()
    time.sleep(0.5)
END
ip netns exec far python3 "$work/server.py" &
python3 "$work/client.py" udp &
udp=$!
kill -STOP $udp
until_true 10 ip netns exec far python3 -c 'import socket; socket.create_connection(("10.66.0.2", 7000))' || wrong "the server does not listen"

follow 10.66.0.2 --evidence
python3 "$work/client.py" tcp &
tcp=$!
expect "a connection through the tunnel answers" '"verdict":"answering"'
# The remote end is gone: the underlay, the tunnel's link and its routes stay.
ip -n far link set wg0 down
expect "it stalls when the remote end is gone" '"verdict":"stalled"'
is "the status stays" '"status":"reachable"' -- 10.66.0.2
ip -n far link set wg0 up
expect "it answers when the remote end is back" '"verdict":"answering"'
kill $watcher $tcp

# Without TCP, only the tunnel's counters tell; they take 15 s.
follow 10.66.0.7 --evidence
kill -CONT $udp
ip -n far link set wg0 down
expect "a tunnel that only sends is a weak stall" '"verdict":"stalled"' '"strength":"weak"'
kill $udp
