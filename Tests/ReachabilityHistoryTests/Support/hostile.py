# SPDX-License-Identifier: Apache-2.0
"""Writes records that are made to hurt a report, and measures what the report costs.

    hostile.py PROGRAM KIND BYTES [SEED]    prints a line of JSON: bytes, pages, megabytes of memory, seconds of a processor
    hostile.py --kinds                      prints the kinds

The measured program is reachability-report. The worst of text, JSON and page counts.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta

EPOCH = datetime(2026, 11, 23)
HEADER = {"boot": "b", "program": "1", "targets": [], "heartbeatSeconds": 60}


class Writer:
    """The lines of a record up to a size; `now` is milliseconds since the first line."""

    def __init__(self, limit, seed):
        self.limit, self.size, self.lines, self.now, self.random = limit, 0, [], 0, random.Random(seed)

    @property
    def isFull(self):
        return self.size >= self.limit

    def line(self, **members):
        time = (EPOCH + timedelta(milliseconds=self.now)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] + "Z"
        line = {"version": 1, "time": time, "uptimeMicroseconds": int(self.now * 1000) + 10 ** 9, **members}
        self.lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        self.size += len(self.lines[-1].encode())

    def start(self, machine="m", run="r", event="start", **members):
        self.line(machine=machine, run=run, **{**HEADER, **members}, event=event)

    def target(self, name, reason=None, status=None, **members):
        self.line(target=name, status=status or ("notReachable" if reason else "reachable"), reason=reason, **members, event="change")

    def path(self, interfaces, status="satisfied"):
        self.line(path=status, reason=None, interfaces=interfaces, unusableInterfaces=[], event="change")

    def beats(self, until):
        while self.now + 60_000 < until:
            self.now += 60_000
            self.line(event="heartbeat")
        self.now = until


def addresses(w):
    """All addresses of an interface go again and again, and all targets with them."""
    w.start()
    count = 400
    full = [{"name": "e", "addresses": [f"10.{n >> 8}.{n & 255}.1" for n in range(count)]}]
    w.path(full)
    while not w.isFull:
        for n in range(40):
            w.target(f"t{n}")
        w.now += 61_000
        w.line(event="heartbeat")
        w.now += 1
        w.path([{"name": "e"}])
        for n in range(40):
            w.target(f"t{n}", "noRoute")
        w.now += 1
        w.path(full)


def many_addresses(w):
    """A thousand targets fail when an interface loses all its addresses."""
    w.start()
    w.path([{"name": "e", "addresses": [f"10.{n >> 8}.{n & 255}.1" for n in range(w.limit // 50)]}])
    names = [f"t{n}" for n in range(w.limit // 600)]
    for name in names:
        w.target(name)
    w.now += 10_000
    w.path([{"name": "e"}])
    while not w.isFull:
        for name in names:
            w.target(name, "noRoute")
        w.now += 61_000
        for name in names:
            w.target(name)
        w.now += 1


def restless_path(w):
    """The path changes every few milliseconds, and each target fails at another moment of it."""
    w.start()
    for n in range(w.limit // 400):
        w.target(f"t{n}")
    number = 0
    while not w.isFull:
        w.now += 2
        number += 1
        w.path([{"name": "e", "addresses": [f"fe80::{number:x}", f"fe80::1:{number:x}"], "gateways": [f"10.1.{number >> 8 & 255}.{number & 255}"]}])
        w.target(f"t{number % (w.limit // 400)}", "noRoute")
        w.target(f"t{number % (w.limit // 400)}")


def many_interfaces(w):
    """A path of many interfaces, each of which fails for a reason of its own."""
    w.start()
    names = [f"i{n}" for n in range(w.limit // 100)]
    w.path([{"name": name, "gateways": ["10.0.0.1"]} for name in names])
    w.target("t")
    w.now += 1000
    w.line(path="unsatisfied", unusableInterfaces=[{"name": name, "reason": f"r{name}"} for name in reversed(names)], event="change")
    w.target("t", "noRoute")
    while not w.isFull:
        w.now += 61_000
        w.target("t")
        w.now += 1
        w.target("t", "noRoute")


def long_names(w):
    """Names of machines, targets, interfaces and reasons that are as long as lines may be."""
    long = "\u202e<" * (w.limit // 200)
    machine, name = "m" + long[:120], "t" + long[:2000]
    w.start(machine=machine)
    w.start(machine="m" + long)
    w.path([{"name": "e" + long, "gateways": ["g" + long], "addresses": ["a" + long]}])
    w.target("t" + long)
    w.target(name)
    w.now += 1000
    w.path([])
    w.target(name, "reason" + long, interface="e" + long, gateway="g" + long)
    number = 0
    while not w.isFull:
        number += 1
        w.now += 10
        w.target(f"t{number % 500}")
        w.now += 10
        w.target(f"t{number % 500}", "noRoute")


def short_long_names(w):
    """Many targets with names, reasons and details of some hundred characters."""
    w.start(machine="m" * 60)
    number = 0
    while not w.isFull:
        number += 1
        w.now += 700
        long = f"{number}" + "\u3164<" * 90
        w.target("t" + long, "r" + long, interface="e" + long, gateway="g" + long)
        w.line(endpoint="v" + long, verification="failed", endpoints=[{"outcome": "o" + long, "found": "f" + long}], event="verification")


def gaps(w):
    """As many lanes as times without a record."""
    w.start(heartbeatSeconds=1)
    for n in range(w.limit // 240):
        w.target(f"t{n}", "noRoute")
    while not w.isFull:
        w.now += 2000
        w.line(event="heartbeat")


def flapping_gaps(w):
    """Lanes that are unreachable when monitoring begins, again and again."""
    w.start(heartbeatSeconds=1)
    for n in range(w.limit // 300):
        w.target(f"t{n}", "noRoute")
    while not w.isFull:
        w.now += 62_000
        w.line(event="heartbeat")


def continued(w):
    """As many lanes as files of one run."""
    w.start()
    for n in range(w.limit // 260):
        w.target(f"t{n}")
    while not w.isFull:
        w.now += 1000
        w.start(event="continue")


def overlapping(w):
    """Runs that all begin earlier than the one before, and end later."""
    number = 0
    while not w.isFull:
        number += 1
        w.now = 0
        w.start(run=f"r{number}", heartbeatSeconds=86400)
        for k in range(10):
            w.now = 1000 * number + k * 86_000_000 / 20
            w.target("t", ["noRoute", None][k % 2])


def machines(w):
    """Each line is about another machine."""
    number = 0
    while not w.isFull:
        number += 1
        w.now += 10
        w.start(machine=f"m{number}", boot=f"b{number}", run=f"r{number}")


def outages_of_many(w):
    """Many targets with an outage each."""
    w.start()
    number = 0
    while not w.isFull:
        number += 1
        w.target(f"t{number}")
        w.now += 10
        w.target(f"t{number}", "noRoute")
        w.now += 10
        w.target(f"t{number}")


def reasons(w):
    """An outage with a new reason every microsecond."""
    w.start()
    w.target("t")
    number = 0
    while not w.isFull:
        number += 1
        w.now += 0.001
        w.target("t", f"r{number}")


def ages(w):
    """Steps that last for thousands of years."""
    number = 0
    w.start()
    while not w.isFull:
        number += 1
        seconds = number * 20_000_000 % 250_000_000_000
        time = (datetime(1, 1, 1) + timedelta(seconds=seconds)).isoformat()
        head = {"version": 1, "time": f"{int(time[:4]):04}{time[4:]}.000Z", "uptimeMicroseconds": 10 ** 9}
        for members in [{**HEADER, "machine": "m", "run": f"r{number}", "boot": f"b{number}", "event": "start"},
                        {"target": f"t{number % 300}", "status": "notReachable", "reason": "noRoute", "event": "change"}]:
            w.lines.append(json.dumps({**head, **members}, separators=(",", ":")) + "\n")
            w.size += len(w.lines[-1])


def verifications(w):
    """Endpoints that fail with details that are all different."""
    w.start()
    number = 0
    while not w.isFull:
        number += 1
        w.now += 61_000
        detail = {"outcome": "unexpected", "found": f"{number} " + "x" * 100}
        w.line(endpoint="http://a/", verification="failed", endpoints=[detail], event="verification")
        w.now += 1
        w.line(endpoint="http://a/", verification="verified", endpoints=[], event="verification")


def mixed(w):
    """A bit of everything, at random."""
    w.start()
    names = [f"t{n}" * w.random.choice([1, 1, 30]) for n in range(w.random.choice([2, 50, 1000]))]
    kinds = [f"10.0.{n >> 8}.{n & 255}" for n in range(w.random.choice([1, 30, 500]))]
    steps = w.random.choice([[0, 1, 3], [1, 900, 70_000], [50, 100_000], [0.001, 0.5, 2000, 86_400_000]])
    runs = 0
    while not w.isFull:
        w.now += w.random.choice(steps)
        what = w.random.random()
        if what < 0.03:
            runs += 1
            w.start(run=f"r{w.random.randrange(runs)}", event="continue", heartbeatSeconds=w.random.choice([1, 60, 86400]))
        elif what < 0.1:
            some = w.random.sample(kinds, w.random.randrange(len(kinds) + 1))
            w.path([{"name": f"i{n}", "addresses": some, "gateways": some[:3]} for n in range(w.random.randrange(3))])
        elif what < 0.15:
            w.line(event="heartbeat")
        elif what < 0.2:
            w.line(lost=1, event="resume")
        else:
            reason = w.random.choice([None, "noRoute", "noCarrier", f"r{w.random.randrange(9999)}"])
            w.target(w.random.choice(names), reason, interface="i0")


KINDS = [addresses, many_addresses, restless_path, many_interfaces, long_names, short_long_names, gaps, flapping_gaps, continued,
         overlapping, machines, outages_of_many, reasons, ages, verifications, mixed]


def measure(program, kind, limit, seed):
    writer = Writer(limit, seed)
    kind(writer)
    with tempfile.TemporaryDirectory() as folder:
        record, page = os.path.join(folder, "r.jsonl"), os.path.join(folder, "p.html")
        with open(record, "w", encoding="utf-8") as file:
            file.writelines(writer.lines)
        result = {"kind": kind.__name__, "bytes": writer.size, "megabytes": 0, "seconds": 0}
        for name, options in [("text", []), ("json", ["--json"]), ("page", ["--html", page])]:
            output = open(os.path.join(folder, name), "wb")
            child = subprocess.Popen([program, record, *options], stdout=output, stderr=subprocess.PIPE)
            errors = child.stderr.read().decode()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            output.close()
            refused = "the records have too many lanes and times without a record" in errors
            if child.returncode != (2 if refused else 0):
                sys.exit(f"{kind.__name__} {limit} {seed} {options}: status {child.returncode}\n{errors}")
            result["refused"] = refused
            result[name] = 0 if refused else os.path.getsize(page if name == "page" else output.name)
            result["megabytes"] = max(result["megabytes"], round(usage.ru_maxrss / 1024))
            result["seconds"] = max(result["seconds"], round(usage.ru_utime + usage.ru_stime, 2))
    return result


if __name__ == "__main__":
    if sys.argv[1:] == ["--kinds"]:
        print("\n".join(kind.__name__ for kind in KINDS))
    else:
        program, name, limit, seed = (sys.argv[1:] + ["0"])[:4]
        kind = next(kind for kind in KINDS if kind.__name__ == name)
        print(json.dumps(measure(program, kind, int(limit), int(seed))))
