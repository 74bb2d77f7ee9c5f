#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the command that needs no libraries, in root file systems that have none, or others.
set -euo pipefail
. "$(dirname "$0")/support.bash"

if [ "${1:-}" != inside ]; then
  for release; do [[ $release =~ ^[a-z]+$ ]] || complain "'$release' is no release of Debian"; done
  require clang unbound ${1:+mmdebstrap}
  command=${REACHABILITY:-$(scripts/build-static)}
  files=$(mktemp -d)
  roots=("$files")
  # The server's program as a copy: some systems confine the installed one to its own settings (AppArmor).
  cp "$(command -v unbound)" "$files/unbound"

  mkdir "$files/empty" "$files/trap"{,/lib,/etc}
  echo 'hosts: trap [!UNAVAIL=return] files dns' >"$files/trap/etc/nsswitch.conf"
  echo '127.0.0.9 listed.test' >"$files/trap/etc/hosts"
  echo 'void __attribute__((constructor)) spring(void) { __builtin_trap(); }' |
    clang -x c -shared -fPIC -nostdlib -o "$files/trap/lib/libnss_trap.so.2" -
  for release; do
    install_debian "$release" "$files/$release" --include=libnss-mdns,libnss-myhostname,libnss-resolve
    sed -i 's/^hosts:.*/hosts: mymachines resolve [!UNAVAIL=return] files myhostname mdns dns/' \
      "$files/$release/etc/nsswitch.conf"
    rm -f "$files/$release/etc/resolv.conf"
    echo '127.0.0.9 listed.test' >"$files/$release/etc/hosts"
  done
  for root in empty trap "$@"; do
    step "$root"
    cp "$command" "$files/$root"
    timeout --kill-after=5 120 unshare --net --mount --pid --fork --kill-child \
      bash "$PWD/Tests/Installation/static.bash" inside "$files" "$files/$root"
  done
  exit
fi

# In namespaces that end with this script.
files=$2 root=$3
ip link set lo up
cat >"$files/unbound.conf" <<END
server:
  interface: 127.0.0.1
  do-daemonize: no
  use-syslog: no
  username: ""
  chroot: ""
  directory: "$files"
  pidfile: ""
  module-config: "iterator"
  local-zone: "test." static
  local-data: "served.test. A 127.0.0.7"
END
"$files/unbound" -d -c "$files/unbound.conf" 2>"$files/unbound.log" &
end=$((SECONDS + 20))
until (: >/dev/tcp/127.0.0.1/53) 2>/dev/null; do
  [ $SECONDS -lt $end ] || fail "the name server did not start: $(cat "$files/unbound.log")"
done

# expect STATUS OUTPUT ARGUMENTS…: both from the command in the root file system.
expect() {
  local status=0 output
  output=$(timeout 30 chroot "$root" /reachability "${@:3}" 2>&1) || status=$?
  [ "$status $output" = "$1 $2" ] || fail "reachability ${*:3}: status $status, and printed:"$'\n'"$output"
  echo "$3 ${*:4}: as expected"
}
[ ! -e "$root/proc/self" ] || fail "/proc is mounted"
expect 0 '127.0.0.1  reachable      lo (loopback) from 127.0.0.1' check 127.0.0.1
expect 0 '' wait --timeout 20s 127.0.0.1
expect 1 'missing.test  not reachable  no such name' check missing.test
expect 0 'served.test  reachable      lo (loopback) from 127.0.0.1
  127.0.0.7  reachable      lo (loopback) from 127.0.0.1' check served.test
[ ! -e "$root/etc/hosts" ] || expect 0 'listed.test  reachable      lo (loopback) from 127.0.0.1
  127.0.0.9  reachable      lo (loopback) from 127.0.0.1' check listed.test
expect 2 "error: 'verify' runs reachability-verify, which is neither in this command's folder nor in PATH
hint: build it with 'swift build -c release --product reachability-verify', and copy it to this command's folder" \
  verify https://served.test
expect 2 "error: there is no process 1: could not open /proc/1/ns/net: No such file or directory" check --namespace 1
