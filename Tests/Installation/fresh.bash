#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the README's two commands in bare root file systems: Debian 12, the packages that Swift requires, and no others.
# The parts bare, iproute2 and full follow each other.
set -euo pipefail
. "$(dirname "$0")/support.bash"

folder=${TMPDIR:-/tmp}
while [ $# -gt 0 ]; do
  case $1 in
    --in) [ -n "${2:-}" ] || complain "--in requires a folder"; folder=$2; shift ;;
    bare | iproute2 | full) break ;;
    *) complain "unknown argument $1; --help lists the arguments" ;;
  esac
  shift
done
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(bare iproute2 full)
for part in "${parts[@]}"; do [[ $part == @(bare|iproute2|full) ]] || complain "unknown part $part; --help lists the parts"; done
require git mmdebstrap swiftc
toolchain=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/usr/lib/swift".*|\1|p')
[ -n "$toolchain" ] || skip "the Swift toolchain is not in its own folder"

root=$(mktemp -d "$folder/fresh-XXXXXX")
roots=("$root")

# inside COMMAND…: runs the command as the only process of the new machine, which keeps nothing but its files.
inside() {
  timeout --kill-after=10 2400 unshare --mount --pid --fork --kill-child bash -euc '
    root=$1 toolchain=$2
    shift 2
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    for folder in /dev /sys; do mount --rbind $folder "$root$folder"; done
    mkdir -p "$root$toolchain" "$root/outside"
    mount --bind "$toolchain" "$root$toolchain"
    mount -o remount,bind,ro "$root$toolchain"
    cd "$root"
    # A user namespace cannot be created where chroot is in effect.
    pivot_root . outside
    umount -l /outside
    cd /src
    exec env -i HOME=/root PATH="$toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
  ' bash "$root" "$toolchain" "$@"
}
log=$root/log
logged() { time "$@" 2>&1 | tee "$log"; }

# https://www.swift.org/install/linux/tarball/ lists these packages for Debian 12, and python3-lldb-13, which debugs.
swift_needs=(binutils-gold gcc git gnupg2 libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev
  libsqlite3-dev libxml2-dev pkg-config tzdata unzip uuid-dev ca-certificates)
install_debian bookworm "$root" --include="$(IFS=,; echo "${swift_needs[*]}")"
# Ordinary users must be able to enter it.
chmod 755 "$root"
mkdir "$root/src"
git archive HEAD | tar -x -C "$root/src"
chroot "$root" useradd --create-home tester

for part in "${parts[@]}"; do
  case $part in
    bare)
      step "The first command of the README"
      # Status 1: not reachable, which is an answer.
      logged inside swift run reachability || [ $? = 1 ]
      grep -q '^default' "$log" || fail "no answer"
      step "The tests on the bare machine"
      logged inside swift test
      tail -n 1 "$log" | grep -q 'type: scripts/test$' || fail "the last line does not name scripts/test"
      ;;
    iproute2)
      step "iproute2"
      inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends iproute2 >/dev/null'
      step "The tests with iproute2 alone"
      logged inside swift test
      step "The tests with iproute2 alone, as an ordinary user"
      # The build's lock is in /tmp.
      inside sh -c 'chown -R tester: /src && rm -rf /tmp/*'
      logged inside setpriv --reuid=tester --regid=tester --init-groups env HOME=/home/tester swift test
      inside sh -c 'chown -R root: /src && rm -rf /tmp/*'
      ;;
    full)
      step "The second command of the README"
      logged inside bash -c 'scripts/test || exit
        cat /proc/[0-9]*/comm | grep -E "^(systemd|dbus|polkit|unbound|NetworkManager)" | sed "s/^/started: /"; true'
      ! grep -E '^ +[0-9]+  .* is not installed$|^started: ' "$log" || fail "the machine lacks a package, or a service was started"
      ;;
  esac
done
step "Passed"
