# SPDX-License-Identifier: Apache-2.0
# A radio that software blocked, and one that a hardware switch disabled, are explained with advice.
source "$(dirname "$0")/support.bash"

modprobe mac80211_hwsim radios=1 || unavailable "the kernel simulates no radios"
must until_true 10 test -e /sys/class/net/wlan0
switch=$(echo /sys/class/net/wlan0/phy80211/rfkill*)
[ -e "$switch/soft" ] || unavailable "the kernel has no rfkill"
ip addr add 192.0.2.2/24 dev wlan0
ip link set wlan0 up

# Checks that an explanation contains a text.
explains() {
  local what=$1 text=$2 said
  said=$("$reachability" explain 192.0.2.1 --interface wlan0)
  if grep -qF -- "$text" <<< "$said"; then echo "ok: $what"; else wrong "$what: no '$text' in: $said"; fi
}

explains "a radio without an access point" "Join a network"
echo 1 > "$switch/soft"
must until_true 10 sh -c "! ip link show wlan0 | grep -q '[<,]UP[,>]'"
explains "a radio blocked by software" "advice: Unblock it: rfkill unblock wifi."
if ip link set wlan0 up 2> /dev/null; then wrong "a blocked radio can be switched on"; fi
echo 0 > "$switch/soft"
explains "a radio that is not blocked any more" "advice: Switch it on: ip link set dev wlan0 up"
