#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the command with Swift's libraries inside, and tests that it needs none of them at run time.
set -euo pipefail
. "$(dirname "$0")/support.bash"
[ $# = 0 ] || complain "self-contained takes no argument"
build=(swift build -c release --scratch-path .build/self-contained --static-swift-stdlib --product reachability)
"${build[@]}"
binary=$("${build[@]}" --show-bin-path)/reachability
! ldd "$binary" | grep -i swift || fail "the command needs Swift libraries at run time"
"$binary" --version
"$binary" check 127.0.0.1
