#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs that nobody here wrote, before and after gio-module-reachability is installed, in a new root file system and one
# network: an interface with a default route that NetworkManager does not manage.
set -euo pipefail
. "$(dirname "$0")/support.bash"
release=${1:-bookworm}

if [ "$release" != inside ]; then
  [ $# -le 1 ] && [[ $release =~ ^[a-z]+$ ]] || complain "gio takes one release of Debian"
  require git dpkg-shlibdeps mmdebstrap ip pkg-config
  root=$(mktemp -d)
  roots=("$root")
  step packages
  mapfile -t packages < <(scripts/build-deb | grep -E '/(libreachability0|libreachability-dev|gio-module-reachability)_')
  [ ${#packages[@]} = 3 ] || fail "there are ${#packages[@]} packages"
  # The lists of packages stay, so that apt needs no update.
  install_debian "$release" "$root" --skip=cleanup/apt/lists \
    --include=dbus,network-manager,packagekit,packagekit-tools,polkitd,xdg-desktop-portal,libglib2.0-bin,iproute2,procps,pkgconf,python3-pyqt6,gir1.2-edataserver-1.2,python3-gi,libpam-systemd-
  cp "${packages[@]}" "$root/root"
  timeout --kill-after=5 600 unshare --net --mount --pid --ipc --uts --fork --kill-child \
    bash "$PWD/Tests/Installation/gio.bash" inside "$root" $SECONDS
  exit
fi

# In namespaces that end with this script.
root=$2 SECONDS=$3
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/run/dbus"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }
apt() { inside DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0 "$@"; }
awaits() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "timed out: $*"
    sleep 0.1
  done
}

has_ended() { ! inside pgrep -x "$1"; }

# The network: a cable to another namespace, a default route, and a package source that needs no network.
ip link set lo up
ip link add eth0 type veth peer name peer0
ip address add 10.1.0.1/24 dev eth0
ip link set peer0 up
ip link set eth0 up
ip route add default via 10.1.0.254
mkdir -p "$root/etc/NetworkManager/conf.d" "$root/root/source"
printf '[keyfile]\nunmanaged-devices=*\n' >"$root/etc/NetworkManager/conf.d/unmanaged.conf"
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/*
: >"$root/root/source/Packages"
printf 'deb [trusted=yes] file:/root/source ./\n' >"$root/etc/apt/sources.list"

inside dbus-daemon --system --nofork --nopidfile >"$root/root/bus.log" 2>&1 &
awaits test -S "$root/run/dbus/system_bus_socket"
inside NetworkManager --no-daemon >"$root/root/manager.log" 2>&1 &
awaits inside nmcli general status
inside nmcli device status

cat >"$root/root/qt.py" <<'END'
import os, sys
from PyQt6.QtCore import QCoreApplication, QTimer
from PyQt6.QtNetwork import QNetworkInformation
app = QCoreApplication(sys.argv)
assert QNetworkInformation.loadBackendByName("glib"), QNetworkInformation.availableBackends()
QTimer.singleShot(300, app.quit)
app.exec()
print(QNetworkInformation.instance().reachability().name)
END

# Evolution's library, with the settings of a new installation.
cat >"$root/root/evolution.py" <<'END'
import gi
gi.require_version("EDataServer", "1.2")
from gi.repository import EDataServer
monitor = EDataServer.NetworkMonitor.get_default()
print(monitor.get_property("network-available"), monitor.get_property("connectivity").value_nick)
END

# Asks each program; each is started anew.
ask() {
  local status=0 bus
  inside pkill -x packagekitd || true
  awaits has_ended packagekitd
  echo "pkcon refresh: $(inside timeout 60 pkcon --plain refresh force 2>&1 | grep -E 'Cannot refresh|Finished|Error|Fatal|offline|Refreshing' | sort -u | tr '\n' ';')"
  echo "Qt 6: $(inside QT_QPA_PLATFORM=offscreen timeout 30 python3 /root/qt.py 2>&1 | tail -n 1)"
  echo "Evolution: $(inside GSETTINGS_BACKEND=memory timeout 30 python3 /root/evolution.py 2>&1 | tail -n 1)"
  bus=$(inside dbus-daemon --session --fork --print-address)
  echo "portal GetStatus: $(inside DBUS_SESSION_BUS_ADDRESS="$bus" XDG_RUNTIME_DIR=/run timeout 60 gdbus call --session --dest org.freedesktop.portal.Desktop \
    --object-path /org/freedesktop/portal/desktop --method org.freedesktop.portal.NetworkMonitor.GetStatus 2>&1 | tail -n 1)"
  inside pkill -f 'xdg-desktop-portal|dbus-daemon --session' || true
}

step "before"
ask | tee "$root/root/before"
step "installation"
packages=("$root"/root/*.deb)
apt install "${packages[@]#"$root"}" >/dev/null 2>"$root/root/apt.log" ||
  { cat "$root/root/apt.log" >&2; fail "apt install"; }
[ "$(inside pkg-config --cflags --libs reachability)" ] && inside pkg-config --exists reachability || fail "pkg-config"
grep -q '^libgioreachability.so: gio-network-monitor$' "$root"/usr/lib/*/gio/modules/giomodule.cache || fail "the module is not registered"

step "after"
ask | tee "$root/root/after"
grep -q '^pkcon refresh: .*Cannot refresh cache whilst offline' "$root/root/before" || fail "PackageKit was not offline before"
grep -qx 'Evolution: False local' "$root/root/before" || fail "Evolution was not offline before"
grep -q '^pkcon refresh: .*Finished' "$root/root/after" || fail "PackageKit is offline"
grep -qx 'Qt 6: Online' "$root/root/after" || fail "Qt"
grep -qx 'Evolution: True full' "$root/root/after" || fail "Evolution"
grep -qF "'available': <true>" "$root/root/after" && grep -qF "'connectivity': <uint32 4>" "$root/root/after" || fail "the portal"

step "a network that is gone"
ip route del default
ask | tee "$root/root/gone"
grep -q '^pkcon refresh: .*Cannot refresh cache whilst offline' "$root/root/gone" || fail "PackageKit refreshes without a network"
grep -qx 'Qt 6: Disconnected' "$root/root/gone" || fail "Qt"
grep -qx 'Evolution: False local' "$root/root/gone" || fail "Evolution"
grep -qF "'available': <false>" "$root/root/gone" || fail "the portal"

step "apt purge"
apt purge libreachability-dev gio-module-reachability libreachability0 >/dev/null
[ -z "$(find "$root/usr" -name '*reachability*')" ] || fail "files remain: $(find "$root/usr" -name '*reachability*')"
! grep -qs reachability "$root"/usr/lib/*/gio/modules/giomodule.cache || fail "the module is registered"
step "nothing is left"
