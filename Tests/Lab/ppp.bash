# SPDX-License-Identifier: Apache-2.0
# PPP comes up, the far end hangs up, and PPP comes up again.
source "$(dirname "$0")/support.bash"

command -v pppd > /dev/null || unavailable "pppd is not installed"
modprobe -a ppp_generic ppp_async || unavailable "the kernel has no PPP"
must ip netns add isp
dial() {
  pppd pty "exec ip netns exec isp pppd notty nodetach local noauth 198.51.100.1:198.51.100.2 nodefaultroute unit 7" \
    nodetach local noauth defaultroute lcp-echo-interval 1 lcp-echo-failure 3 > "$work/ppp.log" 2>&1 &
  caller=$!
}

follow
expect "no route at first" '"reason":"noRoute"'
dial
expect "PPP is up" '"status":"reachable"' '"interface":"ppp0"' '"kind":"other"' '"isTunnel":false' \
  '"linkType":"ppp"' '"transientConnection"'
is "the far end is not on the link" '"flags":["transientConnection","reachable"]' '"linkType":"ppp"' -- 198.51.100.1
pkill -TERM -P "$caller"
expect "the far end hangs up" '"status":"notReachable"'
wait "$caller"
dial
expect "PPP is up again" '"status":"reachable"' '"linkType":"ppp"'
kill "$caller"
expect "the near end hangs up" '"status":"notReachable"'
