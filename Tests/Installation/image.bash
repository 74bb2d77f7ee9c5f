#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the image for containers: its format, its size, that it is reproducible, and the command in it.
set -euo pipefail
. "$(dirname "$0")/support.bash"

[ $# = 0 ] || complain "the test of the image takes no arguments"
missing=()
for pair in skopeo:skopeo umoci:umoci bwrap:bubblewrap crun:crun python3:python3; do
  command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}")
done
if [ ${#missing[@]} -gt 0 ]; then scripts/install-packages "${missing[@]}"; fi
require skopeo umoci bwrap crun python3
files=$(mktemp -d)
roots=("$files")
chmod 755 "$files"

step "two builds are the same bytes"
REACHABILITY=${REACHABILITY:-$(scripts/build-static)}
export REACHABILITY
image=$(scripts/build-image "$files/one.tar" 2>"$files/digest")
(cd / && TZ=Pacific/Auckland umask 077 && bash "$OLDPWD/scripts/build-image" "$files/two.tar" >/dev/null 2>&1)
cmp "$image" "$files/two.tar"
cat "$files/digest"
size=$(stat -c %s "$image")
[ "$size" -lt 6000000 ] || fail "the image has $size bytes, and 6 MB are the limit"

step "skopeo and umoci read it"
skopeo inspect --config "oci-archive:$image" >"$files/config"
python3 - "$files/config" <<'END'
import json, sys
image = json.load(open(sys.argv[1]))
assert image["os"] == "linux" and image["config"]["User"] == "65532:65532", image
assert image["config"]["Entrypoint"] == ["/usr/bin/reachability"], image
labels = image["config"]["Labels"]
assert labels["org.opencontainers.image.licenses"] == "Apache-2.0" and len(image["rootfs"]["diff_ids"]) == 1, image
END
digest=$(skopeo inspect --format '{{.Digest}}' "oci-archive:$image")
grep -q "^$digest," "$files/digest" || fail "skopeo says $digest, and the build $(cat "$files/digest")"
skopeo copy --quiet "oci-archive:$image" "oci:$files/layout:test"
umoci unpack --image "$files/layout:test" "$files/bundle"
chmod 755 "$files/bundle"
root=$files/bundle/rootfs
content=$(cd "$root" && find . ! -type d | sort | tr '\n' ' ')
[ "$content" = './usr/bin/reachability ./usr/share/doc/reachability/copyright ' ] || fail "the image has $content"

# In a network namespace of its own, which has the loopback interface alone.
isolated() { timeout --kill-after=5 60 unshare --net sh -c 'ip link set lo up && exec "$@"' sh "$@"; }
expected='127.0.0.1  reachable      lo (loopback) from 127.0.0.1'

step "any user runs it, with a read-only root file system (bubblewrap)"
for user in 0 65532 12345; do
  output=$(isolated setpriv --reuid "$user" --regid "$user" --clear-groups \
    bwrap --ro-bind "$root" / --proc /proc --dev /dev --unshare-user --cap-drop ALL \
    /usr/bin/reachability check 127.0.0.1) || fail "user $user: $output"
  [ "$output" = "$expected" ] || fail "user $user: $output"
done

step "a container of its own configuration (crun)"
python3 - "$files/bundle/config.json" <<'END'
import json, sys
path = sys.argv[1]
bundle = json.load(open(path))
assert bundle["process"]["args"] == ["/usr/bin/reachability"], bundle["process"]
assert bundle["process"]["user"] == {"uid": 65532, "gid": 65532}, bundle["process"]
bundle["process"]["args"] += ["check", "127.0.0.1"]
bundle["process"]["terminal"] = False
bundle["root"]["readonly"] = True
# The network of the caller, and no control groups, which this machine may not have.
bundle["linux"]["namespaces"] = [n for n in bundle["linux"]["namespaces"] if n["type"] not in ("network", "cgroup")]
bundle["linux"].pop("resources", None)
bundle["mounts"] = [m for m in bundle["mounts"] if m["type"] not in ("cgroup", "sysfs")]
json.dump(bundle, open(path, "w"))
END
status=0
output=$(isolated crun --cgroup-manager=disabled --root "$files/state" run --bundle "$files/bundle" "reachability-$$" 2>&1) || status=$?
if [[ $status != 0 && $output == *[Cc]group* ]]; then
  echo "crun cannot run here: $output"
else
  [ "$status $output" = "0 $expected" ] || fail "crun: status $status, and printed: $output"
fi
echo "passed"
