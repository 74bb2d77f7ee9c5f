# SPDX-License-Identifier: Apache-2.0
# Functions that the lab's scripts share. Each script runs as root, with the command's path, on a disposable machine: it
# creates interfaces, routes and namespaces and leaves them behind.
set -uo pipefail
reachability=$1
work=$(mktemp -d)
failures=0
watcher=

finish() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null
  [ "$failures" = 0 ] || exit 1
  exit 0
}
trap finish EXIT

# Ends the script; this machine lacks a prerequisite.
unavailable() {
  echo "skipped: $*"
  trap - EXIT
  exit 77
}

# Records a failure and continues.
wrong() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

right() { echo "ok: $*"; }

# until_true SECONDS COMMAND…: waits for a condition.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.05
  done
}

# must COMMAND…: runs a command that everything else depends on.
must() {
  "$@" || {
    echo "FAILED: $*"
    failures=$((failures + 1))
    exit 1
  }
}

# follow TARGET [OPTION…]: starts to watch a target.
follow() {
  "$reachability" watch --json "$@" > "$work/lines" 2> "$work/errors" &
  watcher=$!
  seen=0
  until_true 20 test -s "$work/lines" || wrong "watch prints nothing: $(cat "$work/errors")"
}

# expect WHAT FRAGMENT…: waits for a line, after all lines expected before, that contains all fragments.
expect() {
  local what=$1 end=$((SECONDS + 40)) number line fragment
  shift
  while :; do
    number=0
    while IFS= read -r line; do
      number=$((number + 1))
      [ "$number" -gt "$seen" ] || continue
      for fragment in "$@"; do
        [[ $line == *"$fragment"* ]] || continue 2
      done
      seen=$number
      right "$what"
      return
    done < "$work/lines"
    if [ $SECONDS -ge $end ]; then
      wrong "$what: no line after line $seen has $*"
      sed 's/^/  /' "$work/lines"
      return
    fi
    sleep 0.05
  done
}

# never FRAGMENT: no line of the watch so far contains it.
never() {
  if grep -F -- "$1" "$work/lines"; then wrong "a line has $1"; else right "no line has $1"; fi
}

# says COMMAND WHAT FRAGMENT… -- ARGUMENT…: the output of a command must contain all fragments. RUN precedes the command.
says() {
  local command=$1 what=$2 output fragments=()
  shift 2
  while [ "$1" != -- ]; do
    fragments+=("$1")
    shift
  done
  shift
  output=$(${RUN:-} "$reachability" $command "$@" 2>&1)
  for fragment in "${fragments[@]}"; do
    if [[ $output != *"$fragment"* ]]; then
      wrong "$what: no $fragment in $output"
      return
    fi
  done
  right "$what"
}

# is WHAT FRAGMENT… -- ARGUMENT…: checks a target once.
is() { says "check --json" "$@"; }

# made NAME KIND TUNNEL TYPE [NUMBER]: adds an address of a new network to a link, and checks its kind.
number=0
made() {
  number=$((number + 1))
  local name=$1 type=\"$4\"
  [ "$4" != null ] || type=null
  ${RUN:-} ip addr add "10.200.$number.1/24" dev "$name" || wrong "no address for $name"
  ${RUN:-} ip link set "$name" up
  is "$name is $2 ($4)" "\"interface\":\"$name\"" "\"kind\":\"$2\"" "\"isTunnel\":$3" "\"linkType\":$type" \
    -- "10.200.$number.2" --interface "$name"
}
