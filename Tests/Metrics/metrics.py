#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the metrics with the programs that read them: promtool, node_exporter, Prometheus, VictoriaMetrics, and parsers.

In a network namespace of its own, `reachability record --textfile` writes a record and the metrics while the default route
comes and goes: outages of some milliseconds to seconds, at random. node_exporter serves the file, and Prometheus scrapes
it at four intervals. For each interval, the downtime by PromQL must equal that of the record to the millisecond. promtool
tests the alert rules; each query of the rules and of the dashboard must be answered; the dashboard must survive the
classes of Grafana's schema without a loss. Beside that runs a Prometheus with the intervals that it has without settings,
which scrapes the file as 24 machines, each at an offset of its own: an outage whose reason alternates, and killed monitors,
must alert for all of them in time. 'alerts' tests the rules at all other intervals meanwhile, and alone as the first
argument: scripts/test-metrics alerts. Takes ten minutes and the build. Exits with 1 if something differs, with 77 where it
is impossible: it requires Debian's packages, pip and network namespaces.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INTERVALS = (1, 2, 5, 13)
PROMETHEUS, EXPORTER, VICTORIA, DEFAULTS = 9090, 9100, 8428, 9091
MACHINES = 24
TARGETS = ("default", "10.9.0.1", "10.1.0.2")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/test-metrics", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="the time of changes (60)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the outages (1)")
    parser.add_argument("--command", help="a built command; otherwise the script builds it")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        sys.exit(Test(options).run())

    programs = subprocess.run([ROOT / "Tests/Metrics/programs"], stdout=subprocess.PIPE, text=True)
    if programs.returncode:
        sys.exit(programs.returncode)
    command = options.command
    if not command:
        subprocess.run(["swift", "build", "--quiet", "--product", "reachability"], cwd=ROOT, check=True)
        path = subprocess.run(
            ["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        command = f"{path.stdout.strip()}/reachability"
    unshare = ["unshare", "--net"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    if subprocess.run(unshare + ["true"], stderr=subprocess.DEVNULL).returncode:
        print("cannot test the metrics: no network namespaces", file=sys.stderr)
        sys.exit(77)
    folder = programs.stdout.strip()
    os.environ["PATH"] = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    arguments = ["--inside", folder, "--command", command, "--seconds", options.seconds, "--seed", options.seed]
    words = unshare + [f"{folder}/python3", __file__] + [str(word) for word in arguments]
    sys.exit(subprocess.run(words).returncode)


class Test:
    def __init__(self, options):
        self.options = options
        self.programs = pathlib.Path(options.inside)
        self.children = []
        self.failures = 0

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            self.texts = self.folder / "textfile"
            self.texts.mkdir()
            self.record = self.folder / "record.jsonl"
            try:
                self.test()
            finally:
                for child in reversed(self.children):
                    child.kill()
                    child.wait()
        print(f"{self.failures} failures")
        return 1 if self.failures else 0

    def test(self):
        self.make_network()
        self.monitor = self.start_monitor("kit.prom")
        self.wait("the first file", lambda: (self.texts / "kit.prom").exists())
        self.check_text()
        self.check_rules()
        self.check_dashboard_schema()
        self.start_servers()
        middle, end = self.change_routes()
        self.compare(middle, end)
        self.check_queries()
        self.check_two_files()
        self.check_defaults()

    # The network

    def ip(self, *lines):
        subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)

    def make_network(self):
        self.ip(
            "link set lo up", "link add wan0 type veth peer name peer0", "link set peer0 up",
            "link set wan0 up", "address add 10.1.0.1/24 dev wan0", "route add default via 10.1.0.254")

    def change_routes(self):
        """Breaks and repairs the default route at random; returns two instants in quiet phases."""
        chance = random.Random(self.options.seed)

        def change(seconds):
            end, outages = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                self.ip("route del default")
                # Most outages are far shorter than any interval of scrapes.
                time.sleep(chance.choice([0.001, 0.005, 0.04, 0.04, 0.2, 1.5]) * chance.uniform(0.5, 1.5))
                self.ip(f"route add default via 10.1.0.{chance.choice([253, 254])}")
                time.sleep(chance.uniform(0, 0.6))
                outages += 1
            return outages

        first = change(self.options.seconds / 2)
        middle = self.rest()
        second = change(self.options.seconds / 2)
        print(f"{first} and {second} outages of 0.5 ms to 2.25 s")
        return middle, self.rest()

    def rest(self):
        """Waits until each job has scraped the present values, and returns the time of the wall clock."""
        start = time.time()
        for interval in INTERVALS:
            query = f'min(timestamp(reachability_target_changes_total{{job="j{interval}"}}))'
            self.wait(
                f"a scrape of j{interval}",
                # The file follows a change in at most a quarter of a second.
                lambda: float((self.query(query) or [{"value": [0, "0"]}])[0]["value"][1]) > start + 1)
        return time.time()

    # The programs

    def start(self, *words):
        log = open(self.folder / f"{pathlib.Path(words[0]).name}-{len(self.children)}.log", "w")
        child = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)
        self.children.append(child)
        return child

    def start_monitor(self, name, *more):
        return self.start(
            self.options.command, "record", *TARGETS, "--to", self.record, "--textfile", self.texts / name, *more)

    def start_servers(self):
        self.start(
            self.programs / "prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
            f"--collector.textfile.directory={self.texts}", f"--web.listen-address=127.0.0.1:{EXPORTER}")
        jobs = "".join(
            f"  - {{job_name: j{interval}, scrape_interval: {interval}s, scrape_timeout: 1s, "
            f"static_configs: [{{targets: ['127.0.0.1:{EXPORTER}']}}]}}\n" for interval in INTERVALS)
        (self.folder / "prometheus.yml").write_text(
            f"global: {{evaluation_interval: 5s}}\nrule_files: ['{ROOT}/share/prometheus/reachability.rules.yml']\n"
            f"scrape_configs:\n{jobs}")
        self.start(
            self.programs / "prometheus", f"--config.file={self.folder}/prometheus.yml",
            f"--storage.tsdb.path={self.folder}/data", f"--web.listen-address=127.0.0.1:{PROMETHEUS}")
        machines = ", ".join(
            f"{{targets: ['127.0.0.1:{EXPORTER}'], labels: {{instance: machine{number}}}}}" for number in range(MACHINES))
        (self.folder / "defaults.yml").write_text(
            f"rule_files: ['{ROOT}/share/prometheus/reachability.rules.yml']\n"
            f"scrape_configs: [{{job_name: node, static_configs: [{machines}]}}]\n")
        self.start(
            self.programs / "prometheus", f"--config.file={self.folder}/defaults.yml",
            f"--storage.tsdb.path={self.folder}/defaults", f"--web.listen-address=127.0.0.1:{DEFAULTS}")
        self.start(
            self.programs / "victoria-metrics", f"-storageDataPath={self.folder}/victoria",
            f"-httpListenAddr=127.0.0.1:{VICTORIA}", f"-promscrape.config={self.folder}/prometheus.yml",
            "-promscrape.config.strictParse=false", "-search.latencyOffset=1s")
        self.rest()

    def get(self, port, path, **parameters):
        url = f"http://127.0.0.1:{port}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.read().decode()
        except OSError:
            # Not started yet, or an invalid query.
            return ""

    def query(self, text, at=None, port=PROMETHEUS):
        answer = json.loads(self.get(port, "/api/v1/query", query=text, **({"time": at} if at else {})) or "{}")
        return answer.get("data", {}).get("result") if answer.get("status") == "success" else None

    def wait(self, what, condition, limit=60):
        deadline = time.monotonic() + limit
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(f"error: {what} did not happen in {limit} s")
            time.sleep(0.05)

    def expect(self, isTrue, what):
        print("ok   " if isTrue else "FAILED", what, flush=True)
        self.failures += 0 if isTrue else 1

    # The checks

    def check_text(self):
        text = (self.texts / "kit.prom").read_text()
        promtool = subprocess.run(
            [self.programs / "promtool", "check", "metrics"], input=text, text=True, capture_output=True)
        self.expect(promtool.returncode == 0 and not promtool.stderr, f"promtool check metrics {promtool.stderr}")
        from prometheus_client import openmetrics, parser
        import prometheus_client.openmetrics.parser

        series = [sample for family in parser.text_string_to_metric_families(text) for sample in family.samples]
        self.expect(
            len(series) == sum(not line.startswith("#") for line in text.splitlines())
            and all(sample.timestamp is None for sample in series), f"prometheus_client reads {len(series)} series")
        # As client libraries serve it: a counter's family has no suffix there, and the text has an end.
        lines = re.sub(r"(?m)^(# (?:HELP|TYPE) \S+)_total ", r"\1 ", text) + "# EOF\n"
        strict = list(openmetrics.parser.text_string_to_metric_families(lines))
        self.expect(
            sum(len(family.samples) for family in strict) == len(series),
            f"the strict parser of OpenMetrics reads as many, in {len(strict)} families")

    def check_rules(self):
        folder = ROOT / "share/prometheus"
        for words in (["check", "rules", folder / "reachability.rules.yml"],
                      ["test", "rules", folder / "reachability.rules.test.yml"]):
            promtool = subprocess.run([self.programs / "promtool", *words], text=True, capture_output=True)
            self.expect(promtool.returncode == 0, f"promtool {words[0]} rules {promtool.stderr}")

    def check_dashboard_schema(self):
        from grafana_foundation_sdk.cog.encoder import JSONEncoder
        from grafana_foundation_sdk.cog.plugins import register_default_plugins
        from grafana_foundation_sdk.models.dashboard import Dashboard

        register_default_plugins()
        original = self.dashboard()
        copy = json.loads(JSONEncoder().encode(Dashboard.from_json(original)))
        self.expect(not differences(original, copy), f"the dashboard fits the schema {differences(original, copy)}")

    def dashboard(self):
        return json.loads((ROOT / "share/grafana/reachability.json").read_text())

    def compare(self, middle, end):
        """The downtime of each target by PromQL, at each interval, beside the record's."""
        record = Record(self.record)
        for target in TARGETS:
            at = record.downtime(target, middle), record.downtime(target, end)
            for interval in INTERVALS:
                series = (f'reachability_target_status_seconds_total{{job="j{interval}",'
                          f'target="{target}",status="notReachable"}}')
                values = [
                    round(float(self.query(text, end)[0]["value"][1]) * 1e6)
                    for text in (f"{series} @ {middle}", series, f"{series} - {series} @ {middle}")]
                # A status that takes longer than five milliseconds to be counted may be late by the rest.
                error = max(abs(value - true) for value, true in zip(values, [at[0], at[1], at[1] - at[0]]))
                self.expect(
                    error < 1000,
                    f"{error} µs apart: {target}, every {interval} s: not reachable for {values[1] / 1e6} s, and {values[2] / 1e6} s of "
                    f"the second half; the record: {at[1] / 1e6} s and {(at[1] - at[0]) / 1e6} s")
            changes = self.query(f'reachability_target_changes_total{{target="{target}"}}', end)
            self.expect(
                {int(one["value"][1]) for one in changes} == {record.changes(target)},
                f"{target}: {record.changes(target)} changes")
            victoria = self.query(
                f'reachability_target_status_seconds_total{{target="{target}",status="notReachable"}}', end, VICTORIA)
            self.expect(
                len(victoria or []) == len(INTERVALS)
                and all(abs(float(one["value"][1]) * 1e6 - at[1]) < 1000 for one in victoria),
                f"{target}: VictoriaMetrics agrees")
        increase = self.query(
            'increase(reachability_target_status_seconds_total{target="default",status="notReachable"}'
            f'[{int(end - middle)}s])', end)
        print("     increase() extrapolates:", {one["metric"]["job"]: one["value"][1] for one in increase})

    def check_queries(self):
        for name, value in (("node_textfile_scrape_error", "0"), ("up", "1")):
            self.expect({one["value"][1] for one in self.query(name)} == {value}, f"{name} is {value}")
        groups = json.loads(self.get(PROMETHEUS, "/api/v1/rules"))["data"]["groups"]
        unhealthy = [rule["name"] for group in groups for rule in group["rules"] if rule["health"] != "ok"]
        self.expect(groups and not unhealthy, f"Prometheus evaluates all rules {unhealthy}")
        # An outage, so that the queries about failures have answers.
        self.ip("route del default")
        failing = 'reachability_target_status{job="j1",target="default",status="notReachable"} == 1'
        self.wait("an outage", lambda: self.query(failing))
        for panel in self.dashboard()["panels"]:
            for target in panel["targets"]:
                text = target["expr"]
                for name, value in (("$instance", ".*"), ("$target", ".*"), ("$__range", "1m"), ("$__rate_interval", "1m")):
                    text = text.replace(name, value)
                for port in (PROMETHEUS, VICTORIA):
                    self.wait(f"an answer of {port} to {text}", lambda: self.query(text, port=port))
                self.expect(True, f"the panel '{panel['title']}' has data")
        self.ip("route add default via 10.1.0.254")

    def check_two_files(self):
        """A second command, of which node_exporter would serve no series that equals one of the first."""
        self.start(
            self.options.command, "export", *TARGETS, "--textfile", self.texts / "other.prom", "--label", "part=other")
        count = lambda part: len(re.findall(
            rf'(?m)^reachability_\w+{{[^}}]*part="{part}"', self.get(EXPORTER, "/metrics")))
        own = lambda: sum(not line.startswith("#") for line in (self.texts / "kit.prom").read_text().splitlines())
        self.wait("the second file", lambda: count("other") == own())
        served, own = self.get(EXPORTER, "/metrics"), own()
        self.expect(
            len(re.findall(r"(?m)^reachability_", served)) == 2 * own and "node_textfile_scrape_error 0" in served,
            f"node_exporter serves both files, {own} series each")

    def check_defaults(self):
        """The alerts of a Prometheus with its own intervals: each minute a scrape, and each minute an evaluation."""
        rules = subprocess.Popen([ROOT / "scripts/test-metrics", "alerts"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.children.append(rules)
        minute = 60
        count = lambda text: int((self.query(f"count({text})", port=DEFAULTS) or [{"value": [0, "0"]}])[0]["value"][1])
        alerts = lambda name, state="firing": f'ALERTS{{alertname="Reachability{name}",alertstate=~"{state}",part="",target=~"|default"}}'
        heartbeat = 'reachability_monitor_heartbeat_timestamp_seconds{part=""}'
        self.wait("a scrape of each machine", lambda: count(heartbeat) == MACHINES, 2 * minute)
        offsets = sorted(
            float(one["value"][1]) % minute for one in self.query(f"timestamp({heartbeat})", port=DEFAULTS))
        print("     the machines' offsets:", " ".join(f"{offset:.0f}" for offset in offsets), "s")

        start, isRejected = time.monotonic(), False
        self.ip("route del default")

        def fires():
            # Two reasons in turns, seven seconds each.
            nonlocal isRejected
            if isRejected != bool(int((time.monotonic() - start) / 7) % 2):
                self.ip(f"route {'del' if isRejected else 'add'} unreachable default")
                isRejected = not isRejected
            return count(alerts("TargetNotReachable")) == count(alerts("PathNotSatisfied")) == MACHINES

        # It lasts a minute, after a scrape and an evaluation, and each evaluation sees whole minutes only.
        self.wait("the alerts of all machines", fires, 3.5 * minute)
        active = [alert for alert in json.loads(self.get(DEFAULTS, "/api/v1/alerts"))["data"]["alerts"]
                  if alert["labels"]["alertname"] == "ReachabilityTargetNotReachable" and alert["labels"]["target"] == "default"]
        reasons = {alert["annotations"]["reason"] for alert in active}
        self.expect(
            not any("reason" in alert["labels"] for alert in active) and "" not in reasons,
            f"an outage whose reason alternates alerts for {MACHINES} machines after {time.monotonic() - start:.0f} s: {reasons}")
        self.wait("the alert of the gateway", lambda: count(alerts("GatewaySuspected")) == 1, 2 * minute)
        self.ip(*(["route del unreachable default"] if isRejected else []), "route add default via 10.1.0.254")
        start = time.monotonic()
        names = ("TargetNotReachable", "PathNotSatisfied", "GatewaySuspected")
        self.wait("the end of the alerts", lambda: not sum(count(alerts(name)) for name in names), 3.5 * minute)
        self.expect(True, f"they end {time.monotonic() - start:.0f} s after the outage")

        silent = self.query(f'count_over_time({alerts("MonitorSilent", "firing|pending")}[1h])', port=DEFAULTS)
        self.expect(not silent, "at its defaults, no running monitor was silent")
        self.monitor.kill()
        start = time.monotonic()
        self.wait("the alerts of silent monitors", lambda: count(alerts("MonitorSilent")) == MACHINES, 5.5 * minute)
        self.expect(True, f"a killed monitor alerts for {MACHINES} machines after {time.monotonic() - start:.0f} s")
        print(rules.communicate()[0], end="")
        self.expect(rules.returncode == 0, "scripts/test-metrics alerts")


class Record:
    """An independent reading of the record: the targets' events with their uptimes in microseconds."""

    def __init__(self, path):
        self.events, self.mapping = {}, []
        for line in path.read_text().splitlines():
            event = json.loads(line)
            self.mapping.append((seconds(event["time"]), event["uptimeMicroseconds"]))
            if "target" in event and event["event"] in ("initial", "change"):
                self.events.setdefault(event["target"], []).append((event["uptimeMicroseconds"], event["status"]))

    def downtime(self, target, wall):
        """Microseconds without a route up to a time, at which the target is reachable."""
        time, uptime = [pair for pair in self.mapping if pair[0] <= wall][-1]
        limit = uptime + round((wall - time) * 1e6)
        events = [event for event in self.events[target] if event[0] <= limit]
        assert events[-1][1] == "reachable"
        return sum(next[0] - event[0] for event, next in zip(events, events[1:]) if event[1] == "notReachable")

    def changes(self, target):
        events = self.events[target]
        return sum(one[1] != next[1] for one, next in zip(events, events[1:]))


def seconds(text):
    return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone + int(text[20:23]) / 1000


def differences(one, other, path=""):
    """The paths of values that a copy lacks or has otherwise."""
    if isinstance(one, dict):
        pairs = [(f"{path}/{key}", value, (other or {}).get(key, "absent")) for key, value in one.items()]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(f"{path}/{index}", *pair) for index, pair in enumerate(zip(one, other))]
    else:
        return [] if one == other else [path]
    return [difference for path, a, b in pairs for difference in differences(a, b, path)]


if __name__ == "__main__":
    main()
