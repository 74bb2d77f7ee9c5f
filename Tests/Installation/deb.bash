#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages, checks them with lintian, and installs, uses and purges them in a new root file system.
set -euo pipefail
. "$(dirname "$0")/support.bash"
release=${1:-bookworm}

if [ "$release" != inside ]; then
  [ $# -le 1 ] && [[ $release =~ ^[a-z]+$ ]] || complain "deb takes one release of Debian"
  require git dpkg-shlibdeps lintian mmdebstrap ip python3
  root=$(mktemp -d)
  roots=("$root")

  step packages
  paths=$(scripts/build-deb)
  mapfile -t packages <<<"$paths"
  for package in "${packages[@]}"; do
    dpkg-deb --info "$package"
    dpkg-deb --contents "$package"
    # A security release of the C library needs a new build of a static command.
    built=$(dpkg-deb --field "$package" Static-Built-Using)
    expected=$(dpkg-query -W -f '${source:Package} (= ${source:Version})' libc6-dev)
    case $package in
      */reachability-verify_* | */libreachability* | */gio-module-*) [ -z "$built" ] ;;
      *) [[ $built = "$expected, gcc-"*' (= '*')' ]] ;;
    esac || fail "$package has Static-Built-Using: $built"
  done
  step scripts/install
  scripts/install --prefix "$root/prefix"
  "$root/prefix/bin/reachability" --version
  "$root/prefix/bin/reachability" verify --version
  "$root/prefix/bin/reachability" report --version
  "$root/prefix/bin/reachability" trace --version
  [ -s "$root/prefix/share/man/man1/reachability.1" ]
  scripts/install --uninstall --prefix "$root/prefix" >/dev/null
  [ -z "$(find "$root/prefix" -type f)" ]
  rm -r "$root/prefix"
  step lintian
  lintian --fail-on error,warning --info "${packages[@]}"

  # The lists of packages stay, so that apt needs no update.
  install_debian "$release" "$root" --include=bash-completion,man-db,systemd --skip=cleanup/apt/lists
  cp "${packages[@]}" "$root/root"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  timeout --kill-after=5 600 unshare --mount --pid --fork --kill-child \
    bash "$PWD/Tests/Installation/deb.bash" inside "$root" $SECONDS
  exit
fi

# In namespaces that end with this script.
root=$2 SECONDS=$3
mount -t proc proc "$root/proc"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }
apt() { inside DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0 "$@"; }
# All files but the records and caches of apt, dpkg and man.
list() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path './var/log/*' -o -path './var/cache/*' \
    -o -path './var/lib/apt/*' -o -path './var/lib/dpkg/*-old' \) -prune -o -printf '%y %m %p\n' | sort)
  inside dpkg --get-selections
}

packages=("$root"/root/*.deb)
step "apt install"
before=$(list)
apt install "${packages[@]#"$root"}" >/dev/null

step "commands"
inside reachability --version
[ "$(inside reachability check 127.0.0.1)" = '127.0.0.1  reachable      lo (loopback) from 127.0.0.1' ] || fail "check"
# A server of its own network is all that 'verify' reaches.
unshare --net bash -c '
  set -e
  ip link set lo up
  python3 -m http.server --bind 127.0.0.1 --directory "$1/usr/share/doc" 8080 >/dev/null 2>&1 &
  end=$((SECONDS + 20))
  until (: >/dev/tcp/127.0.0.1/8080) 2>/dev/null; do [ $SECONDS -lt $end ]; done
  chroot "$1" reachability verify http://127.0.0.1:8080/ tcp://127.0.0.1:8080' bash "$root"

# A line of a record, and one that is cut off.
cat >"$root/root/history.jsonl" <<'END'
{"version":1,"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":1,"machine":"m","run":"r","event":"start"}
{"version":1
END
[[ $(inside reachability report --json /root/history.jsonl 2>/dev/null) = *'"lines":1,'* ]] || fail "report"
rm "$root/root/history.jsonl"

step "completion, manual pages"
offered=$(inside bash -ic '
  . /usr/share/bash-completion/bash_completion
  _completion_loader reachability || [ $? = 124 ]
  complete -p reachability >/dev/null || exit
  COMP_WORDS=(reachability wa) COMP_CWORD=1
  _reachability
  echo "${COMPREPLY[*]}"' 2>/dev/null)
[ "$offered" = 'watch wait' ] || fail "bash offers '$offered' for 'reachability wa'"
for page in share/man/man1/*.1; do
  page=$(basename "$page" .1)
  inside man $page | grep "^ *$page  *- " >/dev/null || fail "man $page"
done

step "units"
# No system runs here, so systemd's own part is noted: what the maintainer scripts ask of it. Its links are real.
units=(reachability-online.service reachability-record.service reachability-export.service)
links() { (cd "$root/etc/systemd/system" && find . -name 'reachability-*' | sort); }
asked() { grep -qxF -e "$1" "$root/run/asked" || fail "systemd was not asked: $1; it was: $(cat "$root/run/asked")"; }
package=$(basename "$(ls "$root"/root/reachability_*.deb)")
[ -z "$(links)" ] || fail "the package enables $(links)"
inside systemctl --quiet enable "${units[@]}"
enabled=$(links)
[ "$(wc -l <<<"$enabled")" = 3 ] || fail "links: $enabled"
mkdir -p "$root/run/systemd/system" "$root/run/noted"
printf '#!/bin/sh\necho "$*" >>/run/asked\n' >"$root/run/noted/systemctl"
chmod 755 "$root/run/noted/systemctl"
dpkg() { inside PATH=/run/noted:/usr/sbin:/usr/bin:/sbin:/bin dpkg "$@" >/dev/null; }

dpkg --install "/root/$package"
asked "try-restart reachability-record.service reachability-export.service"
[ "$(links)" = "$enabled" ] || fail "after an upgrade: $(links)"
dpkg --remove reachability
asked "stop reachability-online.service reachability-online@*.service reachability-record.service reachability-export.service"
dpkg --install "/root/$package"
[ "$(links)" = "$enabled" ] || fail "after an installation: $(links)"
dpkg --purge reachability
[ -z "$(links)" ] || fail "dangling links after a purge: $(links)"
dpkg --remove reachability-report
asked "stop reachability-report.timer"
rm -r "$root"/run/{asked,noted,systemd}
apt install "/root/$(basename "$(ls "$root"/root/reachability-report_*.deb)")" >/dev/null
apt install "/root/$package" >/dev/null

step "apt purge"
# Usually apt keeps what others recommend or suggest, although this system did not have it.
apt -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false \
  purge --autoremove reachability reachability-verify reachability-trace reachability-rehearse reachability-report \
  libreachability-dev gio-module-reachability libreachability0 >/dev/null
difference=$(diff <(echo "$before") <(list)) || fail "files remain, or are missing: ${difference:0:2000}"
step "nothing is left"
