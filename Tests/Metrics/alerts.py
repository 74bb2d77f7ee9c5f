#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the alert rules at the intervals that users set: scrapes every 10 s to 10 min, evaluations every 15 s to 5 min.

Prometheus scrapes each machine at an offset of its own, which never changes. So each combination of the two intervals has
machines at all offsets, in steps of a twentieth: healthy ones, ones with an outage, killed and stopped monitors, files
of yesterday, and so on. For each alert and each kind of machine the script knows from what happens when it must fire,
when it must not, and when it may. promtool evaluates all of it; a difference names the alert, the kind and the instants.
Takes eight minutes of processor time. Exits with 1 if something differs, with 77 where it is impossible: it requires
Debian's packages and pip.
"""
import argparse
import concurrent.futures
import dataclasses
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRAPES = (10, 15, 30, 60, 120, 300, 600)
EVALUATIONS = (15, 30, 60, 120, 300)
# Something happens after 40 minutes, and is over 35 minutes later, in seconds of the test.
START, STOP, END = 2400, 4500, 6300
DAY = 86400


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/test-metrics alerts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scrape", type=int, nargs="+", default=SCRAPES, help="the seconds between scrapes")
    parser.add_argument("--evaluation", type=int, nargs="+", default=EVALUATIONS, help="the seconds between evaluations")
    parser.add_argument("--rules", default=str(ROOT / "share/prometheus/reachability.rules.yml"), help="another file of rules")
    options = parser.parse_args()
    programs = subprocess.run([ROOT / "Tests/Metrics/programs"], stdout=subprocess.PIPE, text=True)
    if programs.returncode:
        sys.exit(programs.returncode)
    promtool = f"{programs.stdout.strip()}/promtool"
    pairs = [(scrape, evaluation) for scrape in options.scrape for evaluation in options.evaluation]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(run, promtool, os.path.realpath(options.rules), *pair) for pair in pairs]
        for (scrape, evaluation), result in zip(pairs, runs):
            machines, differences = result.result()
            print("FAILED" if differences else "ok    ",
                  f"scrapes every {scrape} s, evaluations every {evaluation} s: {machines} machines", flush=True)
            for difference in differences:
                print(f"       {difference}", flush=True)
            failures += len(differences)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


@dataclasses.dataclass
class Page:
    """What a scrape finds: the state of the monitor, and when it wrote that."""
    written: float
    status: str = "reachable"
    reason: str = "noRoute"
    changes: int = 0
    outage: float = 0
    overruns: int = 0


@dataclasses.dataclass
class Kind:
    """A kind of machine: what its page is at a time, and when each alert must fire and must not.

    A page is None when the file is gone, "down" when the machine does not answer, "removed" when Prometheus does not ask.
    """
    page: object
    # By alert: the times between which its cause lasts in truth, and how long it has to last.
    causes: dict = dataclasses.field(default_factory=dict)
    # By alert: times before and after which it must not fire, and between which it may.
    leaves: dict = dataclasses.field(default_factory=dict)
    gateway: str = ""


def outage(time, number, begin=START, end=STOP, status="notReachable"):
    # Each scrape of a failing DHCP client finds another reason.
    isOut = begin <= time < end
    return Page(
        math.inf, status if isOut else "reachable", ("noRoute", "noAddress")[number % 2],
        outage=max(0, min(time, end) - begin) if status == "notReachable" else 0)


def killed(time, number):
    page = outage(min(time, START), number, begin=START - 20)
    page.written = START
    if time >= START - 20:
        page.changes, page.outage, page.overruns = 10, 90, 1
    return page


def yesterday(time, number):
    page = outage(time, number, begin=-DAY, end=END + DAY)
    page.written, page.outage = -DAY, 0
    return page


KINDS = {
    "healthy": Kind(lambda time, number: Page(math.inf)),
    "outage": Kind(
        outage,
        {"TargetNotReachable": (START, STOP, 60), "PathNotSatisfied": (START, STOP, 60)},
        {"TargetUnreliable": (START, END)}),
    "unknown": Kind(
        lambda time, number: outage(time, number, status="unknown"),
        {"TargetUnknown": (START, STOP, 300), "PathNotSatisfied": (START, STOP, 60)}, gateway="one of unknown"),
    "flapping": Kind(
        lambda time, number: Page(math.inf, changes=0 if time < START else 10),
        {"TargetFlapping": (START, START + 1190, 0)}, {"TargetFlapping": (START, START + 1800)}),
    # Five changes are too few, however far two scrapes are apart.
    "unsteady": Kind(lambda time, number: Page(math.inf, changes=0 if time < START else 5)),
    "unreliable": Kind(
        lambda time, number: Page(math.inf, outage=0 if time < START else 90),
        {"TargetUnreliable": (START, START + 2400, 0)}, {"TargetUnreliable": (START, START + 3600)}),
    "overrun": Kind(
        lambda time, number: Page(math.inf, overruns=0 if time < START else 1),
        {"MonitorOverrun": (START, START + 1190, 0)}, {"MonitorOverrun": (START, START + 1800)}),
    # Killed 20 seconds after the beginning of an outage, whose numbers the file keeps.
    "killed": Kind(
        killed, {"MonitorSilent": (START + 60, END, 60)},
        {**dict.fromkeys(("TargetNotReachable", "PathNotSatisfied"), (START + 40, START + 60)),
         **dict.fromkeys(("TargetFlapping", "TargetUnreliable", "MonitorOverrun"), (START - 20, START + 60))}),
    "yesterday": Kind(yesterday, {"MonitorSilent": (0, END, 60)}, gateway="one of yesterday"),
    "stopped": Kind(
        lambda time, number: Page(math.inf) if time < START else None,
        {"MonitorGone": (START, START + 1190, 60)}, {"MonitorGone": (START, START + 1860)}),
    "down": Kind(lambda time, number: Page(math.inf) if time < START else "down"),
    # From the configuration of Prometheus, during an outage: what it last knew counts for twelve minutes at most.
    "removed": Kind(
        lambda time, number: outage(time, number, begin=START - 1200, end=END) if time < START else "removed",
        {"TargetNotReachable": (START - 1200, START, 60), "PathNotSatisfied": (START - 1200, START, 60)},
        {"TargetNotReachable": (START - 1200, START + 720), "PathNotSatisfied": (START - 1200, START + 720),
         "TargetUnreliable": (START - 1200, END)}),
}
ALERTS = ("TargetNotReachable", "TargetUnknown", "TargetFlapping", "TargetUnreliable", "PathNotSatisfied",
          "MonitorSilent", "MonitorGone", "MonitorOverrun")
# Three of four machines with this gateway have an outage.
GATEWAY = "10.1.0.254"


def series(page, machine, gateway):
    """The series of a page with their values, by their names."""
    target = f'{machine},target="default"'
    values = {f"reachability_build_info{{{machine},version=\"0.1.0\"}}": 1,
              f"reachability_monitor_heartbeat_timestamp_seconds{{{machine}}}": page.written,
              f"reachability_monitor_overruns_total{{{machine}}}": page.overruns,
              f"reachability_target_changes_total{{{target}}}": page.changes,
              f'reachability_target_status_seconds_total{{{target},status="notReachable"}}': page.outage,
              f'reachability_path_status{{{machine},status="satisfied"}}': int(page.status == "reachable"),
              f'reachability_target_route_info{{{target},device="eth0",gateway="{gateway}"}}': 1}
    for status in ("reachable", "notReachable", "unknown"):
        values[f'reachability_target_status{{{target},status="{status}"}}'] = int(page.status == status)
    if page.status != "reachable":
        values[f'reachability_target_reason_info{{{target},reason="{page.reason}"}}'] = 1
    return values


def samples(kind, instance, gateway, offset, scrape, step):
    """What Prometheus stores of a machine that it scrapes at an offset, in the notation of promtool."""
    machine = f'job="node",instance="{instance}"'
    scrapes = []
    for number, time in enumerate(range(offset, END + 1, scrape)):
        page = kind.page(time, number)
        up = {"down": {f"up{{{machine}}}": 0}, "removed": {}}.get(page if isinstance(page, str) else "", {f"up{{{machine}}}": 1})
        if isinstance(page, Page):
            # The monitor writes every 15 seconds; each has a moment of its own.
            phase = offset * 7 % 15
            page.written = min(page.written, (time - phase) // 15 * 15 + phase)
            up = {**up, **series(page, machine, gateway)}
        scrapes.append(up)
    names = dict.fromkeys(name for page in scrapes for name in page)
    for name in names:
        words, isThere, gap = [], False, offset // step
        for page in scrapes:
            if name in page or isThere:
                words += [f"_x{gap}"] if gap else []
                words.append(repr(page[name]) if name in page else "stale")
                gap = 0
            else:
                gap += 1
            isThere = name in page
            gap += scrape // step - 1
        yield f"      - {{series: '{name}', values: '{' '.join(words)}'}}\n"


class Claims:
    """Claims about the alerts of a kind of machines, as expressions that promtool evaluates."""

    def __init__(self, alert, selector, count, evaluation):
        self.alert, self.selector, self.count, self.evaluation = alert, selector, count, evaluation
        self.texts = []

    def add(self, mustFire, begin, end):
        """Whether the alert fires at all evaluations between two times, or at none."""
        first, last = math.ceil(begin / self.evaluation), min(end, END) // self.evaluation
        if last < first:
            return
        number = last - first + 1
        firing = (f'count_over_time(ALERTS{{alertname="Reachability{self.alert}",alertstate="firing",{self.selector}}}'
                  f"[{number * self.evaluation - 1}s])")
        # By the other labels too: an alert whose labels change is another one, of which nobody hears for a minute.
        expression = f"count({firing} == {number})" if mustFire else f"count({firing})"
        samples = f"[{{labels: '{{}}', value: {self.count}}}]" if mustFire else "[]"
        self.texts.append(
            f"      - {{expr: '{expression}', eval_time: {last * self.evaluation}s, exp_samples: {samples}}}\n")


def claims(kind, selector, count, scrape, evaluation, alerts=ALERTS):
    texts = []
    for alert in alerts:
        claim = Claims(alert, selector, count, evaluation)
        cause, leave = kind.causes.get(alert), kind.leaves.get(alert)
        if cause:
            begin, end, duration = cause
            # The next scrape sees it, the next evaluation notices that, and it has to last.
            claim.add(True, begin + scrape + evaluation * (1 + math.ceil(duration / evaluation)), end - 1)
            leave = leave or (begin + duration, end)
        if not leave:
            claim.add(False, 0, END)
        else:
            claim.add(False, 0, leave[0] - 1)
            claim.add(False, leave[1] + scrape + evaluation * 2, END)
        texts += claim.texts
    return "".join(texts)


def run(promtool, rules, scrape, evaluation):
    """The number of machines, and what differs."""
    common = math.gcd(scrape, evaluation)
    # More offsets to the evaluations than these do not exist.
    step = max(1, common // 20)
    offsets = range(0, common, step)
    groups = []
    for name, kind in KINDS.items():
        lines = [line for offset in offsets
                 for line in samples(kind, f"{name}-{offset}", kind.gateway or f"10.2.{offset}.1", offset, scrape, step)]
        groups.append((name, lines, claims(
            kind, f'instance=~"{name}-.*"', len(offsets), scrape, evaluation)
            + claims(Kind(None), 'gateway!=""', 0, scrape, evaluation, ["GatewaySuspected"])))
    suspected = Kind(None, {"GatewaySuspected": (START, STOP, 60)})
    lines = [line for index, offset in enumerate(offsets) for machine in range(4)
             for line in samples(
                 KINDS["healthy" if machine == 3 else "outage"], f"{machine}-{offset}", f"{GATEWAY}-{offset}",
                 offsets[(index + machine * len(offsets) // 4) % len(offsets)], scrape, step)]
    groups.append(("gateway", lines, claims(
        suspected, 'gateway!=""', len(offsets), scrape, evaluation, ["GatewaySuspected"])))
    text = f"rule_files: [{rules}]\nevaluation_interval: {evaluation}s\ntests:\n" + "".join(
        f"  - name: {name}\n    interval: {step}s\n    input_series:\n{''.join(lines)}    promql_expr_test:\n{expressions}"
        for name, lines, expressions in groups)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "test.yml"
        file.write_text(text)
        result = subprocess.run([promtool, "test", "rules", file], text=True, capture_output=True)
    differences = []
    for expression, time, expected, got in re.findall(
            r'expr: "(.*)", time: (\w+), *\n *exp: ?(.*)\n *got: ?(.*)', result.stdout + result.stderr):
        alert, machines = re.search(r'alertname=\\"(\w+)\\".*,(.*?)}\[', expression).groups()
        wanted, number = (int(float((text.split() or ["0"])[-1].replace("nil", "0"))) for text in (expected, got))
        differences.append(
            f"{alert} fires for {number} instead of {wanted} of {machines.replace(chr(92), '')}, "
            f"{'at all evaluations' if ') == ' in expression else 'at some evaluation'} before {time}")
    if result.returncode and not differences:
        differences = [(result.stdout + result.stderr)[:2000]]
    return (len(KINDS) + 4) * len(offsets), differences


if __name__ == "__main__":
    main()
