# SPDX-License-Identifier: Apache-2.0
"""Writes random records, and calculates their sums from what happened, not from the files.

    records.py FOLDER SEED    writes FOLDER/*.jsonl and FOLDER/expected.json

Each millisecond has the state of its last microsecond, which is looked up for each of them by itself.
"""
import bisect
import json
import random
import sys
import time
from pathlib import Path

folder, seed = Path(sys.argv[1]), int(sys.argv[2])
r = random.Random(seed)
HEARTBEAT = 1_000_000
LIMIT = HEARTBEAT * 3 // 2
STATUSES = [("reachable", None), ("notReachable", "noRoute"), ("notReachable", "noCarrier"), ("unknown", "resolving")]
STATES = {"reachable": "reachable", "notReachable": "unreachable", "satisfied": "reachable", "unsatisfied": "unreachable",
          "requiresConnection": "unreachable"}


def wall_text(milliseconds):
    seconds, rest = divmod(milliseconds, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03}Z"


# What a record was started with; the lanes of each are their own.
OPTIONS = [{}, {}, {}, {"interface": "eth0"}, {"mark": 66}, {"from": "10.1.0.1"}, {"namespace": "blue"}, {"namespace": "blue", "mark": 66},
           {"interface": "eth1", "from": "10.1.0.2", "mark": 1, "namespace": "/run/netns/x"}]


class Run:
    def __init__(self, machine, identifier, boot, number, targets):
        self.machine, self.identifier, self.boot, self.targets = machine, identifier, boot, targets
        self.options = r.choice(OPTIONS)
        self.name = f"{number:x}"
        self.files = [[]]
        self.values = {}

    def line(self, uptime, wall, **members):
        """A line, with the members that a reader may need out of their usual order."""
        text = {"version": 1, "time": wall_text(wall // 1000), "uptimeMicroseconds": uptime, **members}
        if r.random() < 0.1:
            keys = list(text)
            r.shuffle(keys)
            text = {key: text[key] for key in keys}
            text["later"] = {"a": [1, -2.5e3, "}\\\"", None, True, {}]}
        self.files[-1].append((uptime, wall, members, json.dumps(text, ensure_ascii=r.random() < 0.5)))

    def header(self, uptime, wall, event):
        options = {name: self.options.get(name) for name in ["interface", "from", "mark", "namespace"]}
        self.line(uptime, wall, machine=self.machine, machineID=self.identifier, boot=self.boot, run=self.name, program="1",
                  targets=self.targets, **options, heartbeatSeconds=HEARTBEAT // 1_000_000, event=event)

    def lane(self, members):
        """The name of the lane that a line is about."""
        if "path" in members:
            return "path"
        words = [f"{name} {self.options[name]}" for name in ["interface", "from"] if name in self.options]
        words += [f"mark {self.options['mark']:#x}"] if "mark" in self.options else []
        return members["target"] + (f" ({', '.join(words)})" if words else "")

    def initials(self, uptime, wall):
        for value in self.values.values():
            self.line(uptime, wall, **value, event="initial")

    def change(self, uptime, wall, event="change"):
        lane = r.choice(["path"] + self.targets)
        self.set(lane, uptime, wall, event)

    def set(self, lane, uptime, wall, event):
        if lane == "path":
            status = r.choice(["satisfied", "unsatisfied", "requiresConnection", "unknown"])
            names = r.sample(["eth0", "wlan0", "ü\t0"], r.randrange(4))
            usable = names[: r.randrange(len(names) + 1)]
            value = {"path": status, "reason": None if status == "satisfied" else "noCarrier",
                     "interfaces": [{"name": n, "index": 1, "addresses": ["10.1.0.1/24"], "gateways": ["10.1.0.254"]} for n in usable],
                     "unusableInterfaces": [{"name": n, "reason": "noCarrier", "addresses": []} for n in names if n not in usable],
                     "gateways": []}
        else:
            status, reason = r.choice(STATUSES)
            value = {"target": lane, "status": status, "reason": reason, "interface": "eth0", "gateway": None}
        self.values[lane] = value
        self.line(uptime, wall, **value, event=event)


def make_runs():
    runs, number = [], 0
    # Some machines have one host name; only identifiers tell them apart.
    names = r.choice([["alpha"], ["alpha"], ["alpha", "béta"], ["alpha", "alpha"], ["alpha", "béta", "alpha"]])
    for place, machine in enumerate(names):
        identifier = f"{place}a" if names.count(machine) > 1 or r.random() < 0.5 else None
        wall_start = 1_700_000_000_000_000 + r.randrange(10_000_000)
        for boot in range(r.randrange(1, 4)):
            uptime, boot_wall = r.randrange(5_000_000), wall_start
            clock_error = 0
            for _ in range(r.randrange(1, 4)):
                number += 1
                # Earlier versions wrote no identifier.
                known = identifier if r.random() < 0.85 else None
                run = Run(machine, known, f"boot-{place}-{boot}", number, ["default", "10.9.0.1"][: r.randrange(1, 3)])
                now = uptime
                wall = lambda at: boot_wall + at + clock_error
                run.header(now, wall(now), "start")
                for lane in ["path"] + run.targets:
                    now += r.randrange(3000)
                    run.set(lane, now, wall(now), "initial")
                last_beat = now
                end = now + r.randrange(8_000_000)
                while now < end:
                    step = r.choice([0, 1, 400, 999, 1000, 3000, 50_000, 700_000])
                    if r.random() < 0.04:  # frozen, suspended, or a day without heartbeats
                        now += r.randrange(2_000_000, 4_000_000)
                        last_beat = now
                    while last_beat + HEARTBEAT <= now + step:
                        last_beat += HEARTBEAT
                        run.line(last_beat, wall(last_beat), event="heartbeat")
                    now = max(now + step, last_beat)
                    if r.random() < 0.03:  # the clock is set
                        clock_error += r.randrange(-5_000_000, 5_000_000)
                    if r.random() < 0.05:  # lines are lost
                        now += r.randrange(1, 900_000)
                        last_beat = now
                        run.line(now, wall(now), lost=r.randrange(1, 9), event="resume")
                        run.initials(now, wall(now))
                    elif r.random() < 0.05:  # another file
                        run.files.append([])
                        run.header(now, wall(now), "continue")
                        run.initials(now, wall(now))
                        run.change(now, wall(now))
                    else:
                        run.change(now, wall(now))
                if r.random() < 0.5:
                    now += 1
                    run.line(now, wall(now), event="stop")
                runs.append(run)
                # Two recorders may run at once.
                uptime = now + r.randrange(10_000) if r.random() < 0.8 else max(uptime, now - r.randrange(3_000_000))
            # The clock of the next boot may go back.
            wall_start = boot_wall + uptime + clock_error + r.randrange(-2_000_000, 4_000_000)
    for run in runs:
        if len(run.files) > 2 and r.random() < 0.3:  # one was removed
            del run.files[r.randrange(1, len(run.files) - 1)]
    return runs


def write(runs):
    """Writes the files: some in one, some twice, some cut off, with other lines between."""
    files = []
    for run in runs:
        for lines in run.files:
            text = "".join(line[3] + "\n" for line in lines).encode()
            if r.random() < 0.2:
                text = text.replace(b"\n", b"\n" + r.choice([b"{}", b"\n", b'{"version":1', b"\xff\x00", b"[1]", b"null"]) + b"\n", 1)
            if files and r.random() < 0.4:
                files[-1] += text
            else:
                files.append(text)
    for text in list(files):
        if r.random() < 0.3:
            copy = text[: r.randrange(len(text) + 1)] if r.random() < 0.7 else text
            files.append(copy)
    r.shuffle(files)
    for position, text in enumerate(files):
        (folder / f"{position}.jsonl").write_bytes(text)


class Truth:
    """A run, as its remaining lines show it."""

    def __init__(self, run, offset):
        lines = [line for lines in run.files for line in lines]
        self.name, self.offset = run.name, offset
        self.uptimes = sorted({line[0] for line in lines})
        self.losses = {line[0] for line in lines if line[2]["event"] == "resume"}
        self.start = self.uptimes[0] + offset
        self.end = self.uptimes[-1] + offset
        self.changes = {}
        for uptime, _, members, _ in lines:
            if members["event"] in ("initial", "change"):
                self.changes.setdefault(run.lane(members), []).append((uptime, members))
        self.moments = {lane: [change[0] for change in changes] for lane, changes in self.changes.items()}

    def value(self, lane, uptime):
        """The members of the last line about a lane; None before the first one."""
        position = bisect.bisect_right(self.moments.get(lane, []), uptime)
        return self.changes[lane][position - 1][1] if position else None

    def state(self, kind, name, moment):
        uptime = moment - self.offset
        following = bisect.bisect_right(self.uptimes, uptime)
        if following in (0, len(self.uptimes)):
            return None
        next_line = self.uptimes[following]
        if next_line - self.uptimes[following - 1] > LIMIT or next_line in self.losses:
            return None
        value = self.value("path" if kind != "target" else name, uptime)
        if value is None:
            return None
        if kind != "interface":
            return STATES.get(value.get("status", value.get("path")), "unknown")
        if name in [i["name"] for i in value["interfaces"]]:
            return "reachable"
        mentions = [at for at, v in self.changes["path"] for i in v["interfaces"] + v["unusableInterfaces"] if i["name"] == name]
        if not mentions:
            return None
        return "unreachable" if min(mentions) <= uptime else "unknown"


runs = make_runs()
write(runs)
clocks = {}
for run in runs:
    for lines in run.files:
        for uptime, wall, _, _ in lines:
            # Of two lines at one moment, the later one counts.
            if uptime >= clocks.get(run.boot, (-1, 0))[0]:
                clocks[run.boot] = (uptime, wall)
offsets = {boot: wall // 1000 * 1000 - uptime for boot, (uptime, wall) in clocks.items()}


def owner(run):
    """The machine of a run: by its identifier, by that of its boot, or by the only one that machines of its name have."""
    if run.identifier:
        return run.identifier
    namesakes = [other for other in runs if other.machine == run.machine and other.identifier]
    of_boot = {other.identifier for other in namesakes if other.boot == run.boot}
    of_name = {other.identifier for other in namesakes}
    return next(iter(of_boot or (of_name if len(of_name) == 1 else [])), None)


def shown_name(run):
    owners = {owner(other) for other in runs if other.machine == run.machine}
    words = [f"machine {owner(run)}"] if len(owners) > 1 and owner(run) else []
    words += [f"namespace {run.options['namespace']}"] if "namespace" in run.options else []
    return run.machine + (f" ({', '.join(words)})" if words else "")


truths = {}
for run in runs:
    truths.setdefault(shown_name(run), []).append(Truth(run, offsets[run.boot]))
first = min(t.start for all in truths.values() for t in all) // 1000
last = max(t.end for all in truths.values() for t in all) // 1000
if r.random() < 0.5:  # a part of it, or more
    first, last = sorted(r.randrange(first - 500, last + 500) for _ in range(2))
    last += 1
lanes = []
for machine, all in sorted(truths.items()):
    all.sort(key=lambda truth: (truth.start, truth.name), reverse=True)
    keys = {("target", lane) for t in all for lane in t.changes if lane != "path"} | {("path", "path")}
    for t in all:
        keys |= {("interface", i["name"]) for _, v in t.changes.get("path", []) for i in v["interfaces"] + v["unusableInterfaces"]}
    for kind, name in sorted(keys):
        totals = {"reachable": 0, "unreachable": 0, "unknown": 0, "notMonitored": 0}
        for millisecond in range(first, last):
            states = (t.state(kind, name, millisecond * 1000 + 999) for t in all)
            totals[next((s for s in states if s), "notMonitored")] += 1
        lanes.append({"machine": machine, "kind": kind, "name": name, "totals": totals})
lost = {(run.name, line[0]): line[2]["lost"] for run in runs for lines in run.files for line in lines if line[2]["event"] == "resume"}
(folder / "expected.json").write_text(json.dumps({"from": first, "until": last, "lost": sum(lost.values()), "lanes": lanes}))
