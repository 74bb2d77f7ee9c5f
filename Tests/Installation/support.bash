# SPDX-License-Identifier: Apache-2.0
# What the tests of installations share: the folder of the package, and how they end.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PATH=$PATH:/usr/sbin:/sbin
# The root file systems of other machines, which namespaces may have mounted.
roots=()
trap 'rm -rf --one-file-system ${roots[@]+"${roots[@]}"}' EXIT

complain() { echo "error: $*" >&2; exit 2; }
skip() { echo "cannot test: $*" >&2; exit 77; }
fail() { echo "error: $*" >&2; exit 1; }
step() { echo "== $* (after $SECONDS s)"; }

# Skips the test without root, one of the programs, or namespaces.
require() {
  local program problem
  [ "$(id -u)" = 0 ] || skip "requires root"
  for program; do command -v "$program" >/dev/null || skip "requires $program"; done
  problem=$(unshare --net --mount true 2>&1) || skip "cannot create a network namespace: $problem"
}

# install_debian RELEASE FOLDER OPTION…: a release of Debian into a folder, with options of mmdebstrap.
install_debian() {
  step "$1 is installed"
  timeout 1800 mmdebstrap --quiet --variant=minbase "${@:3}" "$1" "$2" ${MIRROR:+"$MIRROR"}
}
