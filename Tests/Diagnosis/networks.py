# SPDX-License-Identifier: Apache-2.0
"""Broken networks, and what the command must and must not say about each. Started by run, in namespaces of its own."""
import os, re, subprocess, sys, time

COMMAND = sys.argv[1]
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
SILENT = "10.9.0.1 did not answer on port 80"


def sh(script, check=True):
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, env={**os.environ, "PATH": PATH})
    if check and done.returncode:
        raise SystemExit(f"{script}: {done.stderr}")
    return done.stdout


class Says:
    """What one call of the command says."""

    def __init__(self, arguments, status, shows=(), hides=(), limit=15, follow=False):
        self.arguments, self.status, self.limit, self.follow = arguments.split(), status, limit, follow
        self.shows, self.hides = shows, hides


PROBE = "explain 10.9.0.1 --probe 80 --timeout 4s"
# Each network: what is broken, and what is said. 'follow' types the advised command, after which the probe has to connect.
NETWORKS = {
    "healthy": ("", [
        Says(PROBE, 0, ["10.9.0.1 answered on port 80"], ["problem:"]),
        Says("path", 0, ["routed, not asked: 10.9.0.53"], ["problem"]),
        Says("explain both.example", 0, ["IPv6 is routed; IPv4 is routed"], ["works"])]),
    "IPv6 dead behind the router": ("ip netns exec r1 sysctl -qw net.ipv6.conf.all.forwarding=0", [
        Says("explain both.example", 0, ["IPv6 is routed"], ["works"]),
        Says("explain both.example --probe 80", 0, ["IPv6 did not answer in time; IPv4 answered"])]),
    "name server silent": (
        "ip netns exec server nft 'add table ip f; add chain ip f i { type filter hook input priority 0; }; add rule ip f i udp dport 53 drop'", [
            Says("explain v4.example --probe 80", 1, ["The name server 10.9.0.53 does not answer"], limit=25),
            Says("path", 0, ["not asked"])]),
    "no name server configured": (": >/etc/resolv.conf", [
        Says("check v4.example", 1, ["no name server is configured"]),
        Says("explain v4.example", 1, ["No name server is configured"]),
        Says("path", 0, ["not asked: 127.0.0.1"], ["DNS          yes"])]),
    "two rules of one preference": ("ip rule add pref 100 from 10.1.0.7 lookup main; ip rule add pref 100 to 10.9.0.0/24 prohibit", [
        Says("explain 10.9.0.1", 1, ["ip rule del pref 100 to 10.9.0.0/24 prohibit"], follow=True)]),
    "an address without a subnet": ("ip link set eth1 down; ip address flush dev eth0; ip address add 10.1.0.1/32 dev eth0", [
        Says("explain 10.9.0.1", 1, ["via GATEWAY dev eth0 onlink"], follow=True)]),
    "the host is off": ("ip -n server address del 10.9.0.1/24 dev eth0", [
        Says(PROBE, 1, ["10.1.0.254 reports that it cannot reach 10.9.0.1", "Check that 10.9.0.1 is switched on"])]),
    "the own firewall rejects": (
        "nft 'add table ip f; add chain ip f o { type filter hook output priority 0; }; add rule ip f o tcp dport 80 reject'", [
            Says(PROBE, 1, ["This machine itself refuses"], ["start the server"])]),
    "spanning tree holds back the port": (
        "ip address flush dev eth0; ip link add br0 type bridge stp_state 1; ip link set eth0 master br0; "
        "ip address add 10.1.0.1/24 dev br0; ip link set br0 up; ip route add default via 10.1.0.254", [
            Says("explain 10.9.0.1", 1, ["spanning tree"], ["Bring up the other end"])]),
    "the prefix is too short": (
        "ip address del 10.1.0.1/24 dev eth0; ip address add 10.1.0.1/8 dev eth0; ip route replace default via 10.1.0.254", [
            Says(PROBE, 1, ["the prefix length of 10.1.0.1/8 is wrong"])]),
    "no DHCP server answered": ("ip address flush dev eth0; ip address add 169.254.7.7/16 dev eth0; ip route add default dev eth0", [
        Says("explain 10.9.0.1", 0, ["usually because no DHCP server answers"])]),
    "a rule sends into a dead tunnel": (
        "ip link add t0 type vxlan id 1 remote 10.1.0.99 dstport 4789; ip address add 10.77.0.1/24 dev t0; ip link set t0 up; "
        "ip route add default via 10.77.0.2 table 77; ip rule add pref 50 to 10.9.0.0/24 lookup 77", [
            Says(PROBE, 1, ["Rule 50 (to 10.9.0.0/24) sends packets there", "10.9.0.1 answers over eth0"])]),
    "the first uplink is dead, the second works": ("ip -n r1 link set up0 down", [
        Says(PROBE, 1, ["10.1.0.254 reports that it has no route to 10.9.0.1", "10.9.0.1 answers over eth1"], follow=True)]),
    "the router does not forward": ("ip netns exec r1 sysctl -qw net.ipv4.ip_forward=0; ip link set eth1 down", [
        Says(PROBE, 1, [SILENT, "probably does not forward packets"])]),
    "another machine has the router's address": (
        "ip link set eth1 down; ip -n r1 address del 10.1.0.254/24 dev lan0; ip netns exec r1 sysctl -qw net.ipv4.ip_forward=0; "
        "ip -n r1 address add 10.1.0.254/24 dev lan0", [
            Says(PROBE, 1, [SILENT, "no other machine has its address"])]),
    "a server drops packets": (
        "ip link set eth1 down; "
        "ip netns exec server nft 'add table ip f; add chain ip f i { type filter hook input priority 0; }; add rule ip f i tcp dport 80 drop'", [
            Says(PROBE, 1, [SILENT, "packets get as far as 10.1.0.254, hop 1"], ["does not forward"])]),
    "the router is off": ("ip -n r1 address flush dev lan0; ip link set eth1 down", [
        Says(PROBE, 1, ["10.1.0.254 on eth0 did not answer the last ARP request"]),
        Says("explain 10.9.0.1", 1, ["10.1.0.254 on eth0 did not answer the last ARP request"]),
        Says("path", 0, ["problem      10.1.0.254 did not answer on eth0"])]),
    "the cable is out": ("ip -n r1 link set lan0 down; ip link set eth1 down", [
        Says("explain v4.example", 1, ["The name server 10.9.0.53 is not reachable: no carrier on eth0"], ["Explain 10.9.0.53"], limit=2),
        Says("explain v4.example --probe 80", 1, ["no carrier on eth0"], limit=2),
        Says("path", 1, ["no carrier"])]),
    "a rule leaves out the default route": ("ip rule add pref 100 lookup main suppress_prefixlength 0; ip rule del pref 32766", [
        Says("explain 10.9.0.1", 1, ["A rule leaves out the route to 10.9.0.1 in table main"], ["Check that DHCP"])]),
    "a rule prohibits one interface": ("ip rule add pref 100 oif eth1 prohibit", [
        Says("explain 10.9.0.1 --interface eth1", 1, ["ip rule del pref 100 oif eth1 prohibit"], ["Add a route"], follow=True)]),
    "one of two default gateways is off": (
        "ip route del default; ip route del default; ip -n r2 address flush dev lan0; "
        "ip route add default nexthop via 10.1.0.254 dev eth0 nexthop via 10.2.0.254 dev eth1; "
        # A packet for the router, so that the kernel asks for its address in vain.
        "timeout 4 bash -c 'exec 3<>/dev/tcp/10.2.0.254/9' 2>/dev/null || true", [
            Says("path", 0, ["problem      10.2.0.254 did not answer on eth1"])]),
    "IPv4 is lost, IPv6 is left": ("ip route del default; ip route del default; printf '10.9.0.1 web\\nfd00:9::1 web\\n' >/etc/hosts", [
        Says("check", 0, ["no IPv4"]),
        Says("explain -4", 1, ["There is no IPv4 default route"]),
        Says("check --connect -4 tcp://web:80", 1, ["no route"]),
        Says("check --connect -6 tcp://web:80", 0, ["connected      fd00:9::1"])]),
    "nothing listens": ("", [
        Says("check --connect tcp://10.9.0.1:81", 1, ["not connected  10.9.0.1 port 81: refused"]),
        Says("explain 10.9.0.1 --probe 81 --timeout 4s", 1, ["nothing listens on port 81"])]),
    "the own firewall drops": (
        "nft 'add table ip f; add chain ip f o { type filter hook output priority 0; }; add rule ip f o tcp dport 80 drop'", [
            Says(PROBE, 1, ["This machine itself dropped the packets", "reachability trace tcp://10.9.0.1:80"], ["does not forward"])]),
    "the own address is in another subnet": (
        "ip link set eth1 down; ip address flush dev eth0 scope global; ip address add 10.3.0.1/24 dev eth0; "
        "ip route add default via 10.1.0.254 dev eth0 onlink", [
            Says(PROBE, 1, [SILENT, "and one back to 10.3.0.1"], limit=8)]),
    "the own address is in use twice": (
        "ip link set eth1 down; ip -n r1 neighbour replace 10.1.0.1 lladdr 02:00:00:00:00:99 dev lan0 nud permanent", [
            Says(PROBE, 1, [SILENT, "no other machine has its address or 10.1.0.1"], limit=8)]),
    "no name server runs where one is configured": ("echo nameserver 127.0.0.53 >/etc/resolv.conf", [
        Says("explain v4.example", 1, ["Check that one runs at the addresses in /etc/resolv.conf"], limit=2),
        Says("explain v4.example --probe 80", 1, ["Check that a name server runs there"], limit=2)]),
    "answers come back by another interface": (
        "for name in all eth0 eth1; do sysctl -qw net.ipv4.conf.$name.rp_filter=1; done; ip route del default via 10.2.0.254; "
        "ip -n server route replace default via 10.8.0.254; ip -n r2 route add 10.1.0.0/24 via 10.2.0.1", [
            Says(PROBE, 1, ["they arrive over another interface", "sysctl -w net.ipv4.conf.all.rp_filter=2"])]),
    "large packets vanish": (
        "ip link set eth1 down; ip -n r1 link set up0 mtu 1280; ip -n server link set eth0 mtu 1280; ip netns exec r1 nft "
        "'add table ip f; add chain ip f o { type filter hook output priority 0; }; add rule ip f o icmp type destination-unreachable drop'", [
            Says(PROBE, 0, ["10.9.0.1 answered on port 80", "packets of 1280 bytes"])]),
}

WORLD = """
ip link set lo up
for name in r1 r2 server; do
  ip netns add $name; ip -n $name link set lo up
  ip netns exec $name sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
done
for number in 1 2; do
  ip link add eth$((number - 1)) type veth peer name lan0 netns r$number
  ip -n r$number link add up0 type veth peer name eth$((number - 1)) netns server
  ip address add 10.$number.0.1/24 dev eth$((number - 1))
  ip -n r$number address add 10.$number.0.254/24 dev lan0
  ip link set eth$((number - 1)) up; ip -n r$number link set lan0 up
  ip -n r$number link set up0 up; ip -n server link set eth$((number - 1)) up
done
ip -n r1 address add 10.9.0.254/24 dev up0; ip -n server address add 10.9.0.1/24 dev eth0; ip -n server address add 10.9.0.53/24 dev eth0
ip -n r2 address add 10.8.0.254/24 dev up0; ip -n server address add 10.8.0.1/24 dev eth1
ip address add fd00:1::1/64 dev eth0 nodad; ip -n r1 address add fd00:1::fe/64 dev lan0 nodad
ip -n r1 address add fd00:9::fe/64 dev up0 nodad; ip -n server address add fd00:9::1/64 dev eth0 nodad
ip -n server route add default via 10.9.0.254; ip -n server route add 10.2.0.0/24 via 10.8.0.254
ip -n server -6 route add default via fd00:9::fe
ip -n r2 route add 10.9.0.0/24 via 10.8.0.1
ip route add default via 10.1.0.254; ip route add default via 10.2.0.254 metric 600
ip -6 route add default via fd00:1::fe
"""
RESET = """
nft flush ruleset; ip rule flush; ip rule add pref 32766 lookup main; ip rule add pref 32767 lookup default
for link in br0 t0 eth0 eth1; do ip link del $link || true; done
for name in all default; do sysctl -qw net.ipv4.conf.$name.rp_filter=0; done; : >/etc/hosts
ip -all netns delete; ip route flush table 77 || true
"""
NAME_SERVER = """
import socket, struct
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("10.9.0.53", 53))
while True:
    query, client = server.recvfrom(2048)
    place, labels = 12, []
    while query[place]:
        labels.append(query[place + 1:place + 1 + query[place]].decode()); place += query[place] + 1
    kind, name, answer = struct.unpack(">H", query[place + 1:place + 3])[0], ".".join(labels).lower(), b""
    if name in ("both.example", "v4.example") and kind == 1:
        answer = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4" + socket.inet_aton("10.9.0.1")
    if name == "both.example" and kind == 28:
        answer = b"\\xc0\\x0c\\0\\x1c\\0\\1\\0\\0\\0\\x3c\\0\\x10" + socket.inet_pton(10, "fd00:9::1")
    code = 0 if name in ("both.example", "v4.example") else 3
    server.sendto(query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, bool(answer), 0, 0) + query[12:place + 5] + answer, client)
"""
WEB_SERVER = """
import socket
server = socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True)
connections = []
while True: connections.append(server.accept())
"""


def wait(condition, what):
    deadline = time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} did not happen")
        time.sleep(0.02)


def make_world():
    sh(WORLD)
    sh("printf 'nameserver 10.9.0.53\\n' >/etc/resolv.conf")
    servers = [subprocess.Popen(["ip", "netns", "exec", "server", sys.executable, "-c", text], env={**os.environ, "PATH": PATH})
               for text in (NAME_SERVER, WEB_SERVER)]
    wait(lambda: ":80 " in sh("ip netns exec server ss -ltn") and ":53 " in sh("ip netns exec server ss -lun"), "the start of the servers")
    # Carriers, and link-local addresses that are in use.
    wait(lambda: sh("ip -br link show up").count("UP ") >= 2 and not sh("ip -6 -br address show tentative"), "the start of the links")
    wait(lambda: not any(sh(f"ip -n {name} -6 -br address show tentative") for name in ("r1", "r2", "server")), "the start of the routers")
    return servers


def run(arguments):
    start = time.monotonic()
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr, time.monotonic() - start


def advised(text):
    """The advised commands that change the network; a person fills in the router."""
    commands = re.findall(r"advice: .*?: (ip (?:-6 )?(?:rule|route|link|address) (?:add|del|replace|set) .*)\.$", text, re.M)
    return [command.replace("GATEWAY", "10.1.0.254") for command in commands]


def check(said, show):
    status, text, seconds = run(said.arguments)
    # A wrapped line of a terminal does not occur here: the output is a pipe.
    problems = [f"does not say: {part}" for part in said.shows if part not in text]
    problems += [f"says: {part}" for part in said.hides if part in text]
    if status != said.status:
        problems.append(f"exit status {status} instead of {said.status}")
    if seconds > said.limit:
        problems.append(f"{seconds:.1f} s, more than {said.limit} s")
    if said.follow and not problems:
        commands = advised(text)
        if not commands:
            problems.append("no command in the advice")
        for command in commands[-1:]:
            sh(command)
            bound = [word for word in said.arguments if word in ("--interface", "eth1")]
            after, answer, _ = run(PROBE.split() + bound)
            if after:
                problems.append(f"'{command}' does not help: {answer}")
    line = f"  {seconds:5.1f} s  {' '.join(said.arguments)}"
    print(line + ("" if not problems else "\n    FAILED: " + "\n    ".join(problems)))
    if show or problems:
        print("".join(f"      | {row}\n" for row in text.splitlines()), end="")
    return not problems


def main():
    show = "--show" in sys.argv
    wanted = [word for word in sys.argv[2:] if word != "--show"] or list(NETWORKS)
    unknown = [name for name in wanted if name not in NETWORKS]
    if unknown:
        print(f"error: there is no network '{unknown[0]}'; there are: {', '.join(NETWORKS)}", file=sys.stderr)
        return 2
    sh("""mount --make-rprivate /; mount -t tmpfs none /run; mkdir -p /run/netns /run/etc; : >/run/etc/resolv.conf
    printf 'hosts: files dns\\n' >/run/etc/nsswitch.conf; : >/run/etc/hosts; mount -t sysfs none /sys
    for file in resolv.conf nsswitch.conf hosts; do mount --bind /run/etc/$file /etc/$file; done""")
    failed = 0
    for name in wanted:
        servers = make_world()
        try:
            setup, calls = NETWORKS[name]
            print(name, flush=True)
            if setup:
                sh(setup)
            failed += not all([check(said, show) for said in calls])
        finally:
            for server in servers:
                server.kill()
                server.wait()
            sh(RESET, check=False)
    print(f"{len(wanted) - failed} of {len(wanted)} networks are diagnosed")
    return 1 if failed else 0


sys.exit(main())
