# SPDX-License-Identifier: Apache-2.0
"""Records of invented machines, and the sums that follow from their lines, calculated apart from the product."""

import json
import random
from datetime import datetime, timedelta, timezone

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
# 2026-11-22T05:00:00Z
START = 1_795_323_600_000
STATES = ["reachable", "unreachable", "unknown", "notMonitored"]
TARGETS = ["default", "example.com", "api.example.org:443", "10.20.0.1", "2001:db8::53"]


def time_text(instant):
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=instant)
    # The C library prints years before 1000 with fewer digits.
    return f"{moment.year:04}" + moment.strftime("-%m-%dT%H:%M:%S.") + f"{instant % 1000:03}Z"


def instant_of(text):
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round((moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) / timedelta(milliseconds=1))


class Recorder:
    """Writes the lines of one machine."""

    def __init__(self, machine, targets, begin):
        self.machine, self.targets, self.lines, self.runs = machine, targets, [], 0
        self.boot = begin - 40 * MINUTE
        self.outages = {}

    def line(self, instant, **members):
        head = {"version": 1, "time": time_text(instant), "uptimeMicroseconds": (instant - self.boot) * 1000}
        self.lines.append(json.dumps({**head, **members}, ensure_ascii=False, separators=(",", ":")))

    def path(self, instant, event, reason=None):
        wifi = {"name": "wlp2s0", "index": 3, "kind": "wifi", "isTunnel": False, "linkType": None}
        cable = {"name": "enp3s0", "index": 2, "kind": "wiredEthernet", "isTunnel": False, "linkType": None}
        usable = [] if reason else [{**wifi, "gateways": ["192.0.2.1"], "addresses": ["192.0.2.34/24"]}]
        unusable = [{**cable, "reason": "interfaceDown", "addresses": []}]
        if reason:
            unusable.insert(0, {**wifi, "reason": "noCarrier", "addresses": []})
        self.line(instant, path="unsatisfied" if reason else "satisfied", reason=reason, interfaces=usable,
                  unusableInterfaces=unusable, gateways=[] if reason else ["192.0.2.1"], event=event)

    def target(self, instant, target, event, reason=None, status=None):
        status = status or ("notReachable" if reason else "reachable")
        found = status == "reachable"
        self.line(instant, target=target, status=status, reason=reason, interface="wlp2s0" if found else None,
                  gateway="192.0.2.1" if found else None, source="192.0.2.34" if found else None, event=event)

    def run(self, start, end, changes, is_clean=True):
        """One run: changes are (instant, function of the instant), the heartbeats come each minute."""
        self.runs += 1
        self.line(start, machine=self.machine, boot="b0071d00-0000-4000-8000-000000000001", run=f"{self.runs:08x}",
                  program="0.1.0", targets=self.targets, heartbeatSeconds=60, event="start")
        self.path(start, "initial")
        for target in self.targets:
            self.target(start, target, "initial")
        beats = ((instant, None) for instant in range(start + MINUTE, end, MINUTE))
        for instant, change in sorted([*beats, *changes], key=lambda entry: entry[0]):
            if instant >= end:
                break
            if change:
                change(instant)
            else:
                self.line(instant, event="heartbeat")
        if is_clean:
            self.line(end, event="stop")

    def outage_of_all(self, start, length):
        """The link loses its carrier: the path ends, and each target a little later."""
        changes = [(start, lambda at: self.path(at, "change", "noCarrier"))]
        changes.append((start + length, lambda at: self.path(at, "change")))
        for number, target in enumerate(self.targets, 1):
            changes.append((start + number, lambda at, target=target: self.target(at, target, "change", "noCarrier")))
            changes.append((start + length + number, lambda at, target=target: self.target(at, target, "change")))
        return changes

    def outage(self, target, start, length, reason="noRoute", status=None):
        return [(start, lambda at: self.target(at, target, "change", reason, status)),
                (start + length, lambda at: self.target(at, target, "change"))]


def spread(generator, begin, end, count, longest):
    """Times that do not overlap: a start and a length in each part of a period."""
    part = (end - begin) // count
    for number in range(count):
        length = min(int(10 ** generator.uniform(1.7, longest)), part // 3)
        start = begin + number * part + generator.randrange(part // 2)
        yield start, length


def quiet_day():
    recorder = Recorder("atlas", TARGETS, START)
    recorder.run(START, START + DAY, recorder.outage("example.com", START + 9 * HOUR + 17, 2_183))
    return [recorder]


def day_with_outages():
    recorder = Recorder("atlas", TARGETS, START)
    changes = recorder.outage_of_all(START + 3 * HOUR + 117, 41 * MINUTE + 204)
    changes += recorder.outage_of_all(START + 14 * HOUR + 5, 40)
    changes += recorder.outage("10.20.0.1", START + 5 * HOUR + 1, 1 * HOUR + 1)
    changes += recorder.outage("api.example.org:443", START + 6 * HOUR, 25 * MINUTE + 3, "nameServerFailed", "unknown")
    recorder.run(START, START + 8 * HOUR, changes, is_clean=False)
    changes = [change for change in changes if change[0] > START + 10 * HOUR]
    changes += recorder.outage("2001:db8::53", START + 22 * HOUR, 3 * HOUR)
    recorder.run(START + 10 * HOUR, START + DAY, changes)
    return [recorder]


def year():
    generator = random.Random(7)
    begin, end = START - 364 * DAY, START + DAY
    recorder = Recorder("atlas", TARGETS, begin)
    changes = []
    for start, length in spread(generator, begin + HOUR, end - HOUR, 500, 7):
        changes += recorder.outage_of_all(start, length)
    # Between them, in the free half of each part.
    part = (end - begin - 2 * HOUR) // 500
    for number in range(500):
        start = begin + HOUR + number * part + part * 9 // 10
        for count in range(generator.randrange(70)):
            changes += recorder.outage(generator.choice(TARGETS), start + count * 9 * SECOND, generator.randrange(1, 4000))
    middle = begin + 200 * DAY
    recorder.run(begin, middle, changes, is_clean=False)
    recorder.run(middle + 15 * DAY, end, [change for change in changes if change[0] > middle + 15 * DAY + HOUR])
    return [recorder]


def several_machines():
    recorders = []
    for number, name in enumerate(["atlas", "borealis", "cassini"]):
        generator = random.Random(number)
        begin, end = START - 6 * DAY + number * 7 * HOUR, START + DAY - number * HOUR
        recorder = Recorder(name, TARGETS[:3], begin)
        changes = []
        for start, length in spread(generator, begin + HOUR, end - HOUR, 9, 7.3):
            changes += recorder.outage_of_all(start, length)
        recorder.run(begin, end, changes)
        recorders.append(recorder)
    return recorders


def flapping():
    generator = random.Random(3)
    recorder = Recorder("atlas", TARGETS[:4], START)
    changes, instant = [], START + HOUR
    while instant < START + 5 * HOUR:
        length = generator.randrange(200, 1500)
        changes += recorder.outage("example.com", instant, length)
        instant += length + generator.randrange(200, 3000)
    for number in range(30):
        changes += recorder.outage_of_all(START + 6 * HOUR + number * 20 * SECOND, 8 * SECOND + number)
    recorder.run(START, START + 8 * HOUR, changes)
    return [recorder]


def ages():
    """Two runs, nearly nine thousand years apart."""
    recorder = Recorder("atlas", ["default"], instant_of("0050-03-01T00:00:00Z"))
    for year in ["0050", "9000"]:
        begin = instant_of(year + "-03-01T00:00:00Z")
        recorder.run(begin, begin + HOUR, [])
    return [recorder]


HOSTILE = ["</script><script>window.stranger=1</script>", "<img src=x onerror=window.stranger=2>", "<!--<script>",
           "\"><svg onload=window.stranger=3>", "';window.stranger=4;'", "\u2028]]>&lt;b&gt;", "RECORD", "${window.stranger=5}"]


def hostile():
    recorder = Recorder("<b>machine</b>", HOSTILE, START)
    recorder.run(START, START + HOUR, recorder.outage_of_all(START + MINUTE + 1, 7 * SECOND))
    return [recorder]


def write(recorders, folder):
    """Writes a file for each machine, and returns the paths."""
    paths = []
    for number, recorder in enumerate(recorders, 1):
        paths.append(f"{folder}/{number}.jsonl")
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in recorder.lines)
    return paths


def steps(recorders):
    """Start, end, state and reason of each step, by machine and lane: the path is the lane "path"."""
    words = {"satisfied": 0, "reachable": 0, "unsatisfied": 1, "notReachable": 1, "unknown": 2}
    result, whole = {}, [[], []]
    for recorder in recorders:
        lanes, last = {}, None
        for text in recorder.lines:
            line = json.loads(text)
            now = instant_of(line["time"])
            if line["event"] == "start":
                whole[0].append(now)
                for lane in lanes.values():
                    lane.append((last, 3, None))
            elif "path" in line:
                lanes.setdefault("path", []).append((now, words[line["path"]], line["reason"]))
            elif "target" in line:
                lanes.setdefault(line["target"], []).append((now, words[line["status"]], line["reason"]))
            last = now
        whole[1].append(last)
        for name, changes in lanes.items():
            result[recorder.machine, name] = changes + [(last, 3, None)]
    begin, end = min(whole[0]), max(whole[1])
    for key, changes in result.items():
        changes = [(begin, 3, None)] + changes + [(end, 3, None)]
        found = []
        for (start, *what), (until, *_) in zip(changes, changes[1:]):
            if until > start and found and found[-1][2:] == what:
                found[-1][1] = until
            elif until > start:
                found.append([start, until, *what])
        result[key] = found
    return begin, end, result


def sums(recorders):
    """The milliseconds in each state, by machine and lane."""
    result = {}
    for key, found in steps(recorders)[2].items():
        result[key] = [sum(until - start for start, until, state, _ in found if state == index) for index in range(4)]
    return result
