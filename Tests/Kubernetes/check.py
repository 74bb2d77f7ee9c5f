#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the files for Kubernetes against the models of its official client, and runs their commands.

The models come from the published OpenAPI schema; the client itself ignores unknown members, this check does not.
Arguments: the static command, and the folder of the files.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from kubernetes import client

COMMAND, FOLDER = sys.argv[1], Path(sys.argv[2])


def check(value, kind, path):
    """Fails where a value does not have the type that the schema names."""
    if value is None:
        raise SystemExit(f"error: {path} is empty")
    if match := re.fullmatch(r"list\[(.*)\]", kind):
        assert isinstance(value, list), f"{path} is no list"
        for place, item in enumerate(value):
            check(item, match[1], f"{path}[{place}]")
    elif match := re.fullmatch(r"dict\((.*), (.*)\)", kind):
        assert isinstance(value, dict), f"{path} is no object"
        for key, item in value.items():
            check(item, match[2], f"{path}.{key}")
    elif kind in ("str", "int", "bool", "float"):
        expected = {"str": str, "int": int, "bool": bool, "float": (int, float)}[kind]
        assert isinstance(value, expected), f"{path} is no {kind}: {value!r}"
    elif kind != "object":
        model = getattr(client, kind)
        names = {written: attribute for attribute, written in model.attribute_map.items()}
        for key, item in value.items():
            assert key in names, f"{path} has the unknown member {key}"
            check(item, model.openapi_types[names[key]], f"{path}.{key}")
        # The models refuse what lacks a required member.
        model(**{names[key]: item for key, item in value.items()})


def run(words, has_route, limit=60):
    """Runs a container's command in a network of its own; returns its exit status and its output."""
    setup = "ip link set lo up"
    if has_route:
        setup += " && ip link add eth0 type veth peer name far && ip link set far up && ip link set eth0 up"
        setup += " && ip address add 10.1.0.1/24 dev eth0 && ip route add default via 10.1.0.254"
        setup += " && for i in $(seq 100); do ip link show eth0 | grep -q 'state UP' && break; sleep 0.1; done"
    script = f"{setup} && exec \"$@\""
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", script, "sh", *words],
        capture_output=True, text=True, timeout=limit, check=False)
    return done.returncode, done.stdout + done.stderr


def expect(words, has_route, status, text):
    found = run(words, has_route)
    assert found[0] == status and text in found[1], f"{words}: {found}"
    print(f"{' '.join(words[1:])}: {'a route' if has_route else 'no route'}: {status}, as expected")


# The files themselves.
documents = {}
for name, kind in (("pod.yaml", "V1Pod"), ("daemonset.yaml", "V1DaemonSet")):
    documents[name] = yaml.safe_load((FOLDER / name).read_text())
    check(documents[name], kind, name)
    print(f"{name}: follows the schema of {kind}")

# The commands of the pod; an address stands for the server's name.
spec = documents["pod.yaml"]["spec"]
containers = {item["name"]: item for item in spec["initContainers"] + spec["containers"]}


def words(listed):
    return [COMMAND, *("10.9.0.7" if word == "db.example" else "300ms" if word == "2m" else word for word in listed)]


wait = words(containers["network"]["args"])
expect(wait, True, 0, "")
expect(wait, False, 1, "10.9.0.7 is not reachable: no route")
probe = containers["reachability"]["readinessProbe"]["exec"]["command"]
assert probe[0] == "/usr/bin/reachability"
expect(words(probe[1:]), True, 0, "reachable")
expect(words(probe[1:]), False, 1, "no route")

# That of the daemon set, until it has written its file.
export = documents["daemonset.yaml"]["spec"]["template"]["spec"]["containers"][0]
with tempfile.TemporaryDirectory() as folder:
    listed = [word.replace("/textfile", folder) for word in export["args"]]
    assert "--textfile" in listed
    file = next(word for word in listed if word.endswith(".prom"))
    script = (
        'ip link set lo up; "$@" & for i in $(seq 200); do [ -s "$FILE" ] && break; sleep 0.1; done; cat "$FILE"; kill $!; wait $!')
    done = subprocess.run(
        ["unshare", "--net", "env", f"FILE={file}", "sh", "-c", script, "sh", *words(listed)],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and 'target="default"' in done.stdout, done
    assert not Path(file).exists(), "the file outlives the command"
    print("daemonset.yaml: writes its metrics, and removes them at its end")

# node-problem-detector: pkg/custompluginmonitor/types, with its limits.
monitor = json.loads((FOLDER / "node-problem-detector.json").read_text())
assert set(monitor) == {"plugin", "pluginConfig", "source", "conditions", "rules"} and monitor["plugin"] == "custom"
assert set(monitor["pluginConfig"]) <= {
    "invoke_interval", "timeout", "max_output_length", "concurrency", "enable_message_change_based_condition_update",
    "skip_initial_status"}
conditions = {item["type"] for item in monitor["conditions"]}
for rule in monitor["rules"]:
    assert set(rule) <= {"type", "condition", "reason", "path", "args", "timeout"}, rule
    assert rule["type"] in ("permanent", "temporary") and rule["path"] == "/usr/bin/reachability", rule
    assert rule["type"] == "temporary" or rule["condition"] in conditions, rule
    # 0: no problem, 1: a problem, whose message is the output, 2: not known.
    for has_route, status in ((True, 0), (False, 1)):
        found = run(words(rule["args"]), has_route)
        assert found[0] == status and len(found[1].strip()) <= monitor["pluginConfig"]["max_output_length"], found
print("node-problem-detector.json: its members are known, and its rules have the statuses that it expects")
