# SPDX-License-Identifier: Apache-2.0
"""Tests the page of reports in Chromium: scripts/test-page."""

import base64
import hashlib
import html
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

import records
from browser import Browser

FOLDER = os.path.dirname(os.path.abspath(__file__))
TEMPLATE = os.path.join(FOLDER, "../../Sources/ReachabilityHistory/Page/page.html")
REFERENCES = os.path.join(FOLDER, "References")
PROGRAM = os.environ.get("REPORT_PROGRAM", "")
RECORDS = ["quiet_day", "day_with_outages", "year", "several_machines", "flapping"]
ZONE = "Europe/Berlin"


def milliseconds(text):
    """The number that a duration stands for: 1 d 02 h 03 min 04.567 s."""
    units = {"d": records.DAY, "h": records.HOUR, "min": records.MINUTE}
    parts = text.split()
    assert len(parts) % 2 == 0 and parts[-1] == "s" and re.fullmatch(r"\d+\.\d{3}", parts[-2]), text
    whole, rest = parts[-2].split(".")
    return int(whole) * 1000 + int(rest) + sum(int(n) * units[u] for n, u in zip(parts[:-2:2], parts[1:-2:2]))


class Record:
    """A record's files, and what reachability-report makes of them."""

    def __init__(self, name, folder):
        self.recorders = getattr(records, name)()
        self.folder = os.path.join(folder, name)
        os.mkdir(self.folder)
        self.files = records.write(self.recorders, self.folder)
        self.page = self.report("page.html")

    def report(self, name, *options):
        page = os.path.join(self.folder, name)
        self.run("--html", page, *options)
        return page

    def run(self, *options):
        done = subprocess.run([PROGRAM, *self.files, *options], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "TZ": ZONE})
        assert done.returncode == 0 and done.stderr == "", done
        return done.stdout


class PageTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.records = {name: Record(name, cls.folder.name) for name in [*RECORDS, "hostile"]}
        cls.browser = cls.enterClassContext(Browser()) if sys.version_info >= (3, 11) else Browser()

    def setUp(self):
        self.loaded = False

    def tearDown(self):
        if self.loaded:
            self.assertEqual(self.browser.complaints(), [])

    def open(self, name, page=None, **settings):
        self.loaded = True
        return self.browser.open(page or self.records[name].page, **settings)

    def texts(self, selector):
        return self.browser.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def focused(self, what="textContent"):
        return self.browser.evaluate(f"document.activeElement.{what}")

    def press(self, *keys, shift=False):
        for key in keys:
            self.browser.press(key, shift)

    # Sums.

    def sums_on_page(self):
        several = "Machine" in self.texts("#times thead th")
        machine = re.search(r"Machine (.*?)\. Time zone", self.texts("#note")[0])
        found = {}
        rows = self.browser.evaluate("""[...document.querySelectorAll('#times tbody tr')].map(row =>
            [...row.children].map(cell => cell.firstChild.textContent))""")
        for row in rows:
            name = "path" if row[0] == "Path" else row[0]
            key = (row[1] if several else machine[1], name)
            found[key] = [milliseconds(text) for text in row[2 if several else 1:]]
        return found

    def test_sums_on_the_page_in_the_terminal_and_in_json_equal_an_independent_calculation(self):
        for name in RECORDS:
            with self.subTest(name):
                record = self.records[name]
                expected = records.sums(record.recorders)
                self.open(name)
                page = self.sums_on_page()
                self.assertEqual({key: page.get(key) for key in expected}, expected)
                self.assertEqual(self.in_json(record, "Milliseconds"), expected)
                shares = [f"{share:.3f} %" for lane in self.in_json(record, "Percent", "interface").values()
                          for share in lane if share]
                self.assertEqual(self.texts("#times small"), shares)
                terminal = self.sums_in_the_terminal(record)
                self.assertEqual({key: terminal.get(key) for key in expected}, expected)

    def in_json(self, record, unit, *others):
        lines = [json.loads(line) for line in record.run("--json").splitlines()]
        return {(line["machine"], line["name"]): [line[state + unit] for state in records.STATES]
                for line in lines if line["event"] == "lane" and line["kind"] in ("path", "target", *others)
                # Interfaces that were never usable are not shown.
                and (line["kind"] != "interface" or line["reachableMilliseconds"])}

    def sums_in_the_terminal(self, record):
        units = {"d": records.DAY, "h": records.HOUR, "m": records.MINUTE}
        words = ["reachable", "unreachable", "unknown", "not monitored"]
        found, machine = {}, None
        for block in record.run().split("\n\n")[1:]:
            first, *lines = block.split("\n")
            if first.startswith("Incidents"):
                break
            if not lines:
                machine = first
                continue
            sums = found[machine, first] = [0] * 4
            for line in lines:
                amount = re.match(r"  (%s) +((?:\d+[dhm] )*)(\d+)\.(\d{3})s  " % "|".join(words), line)
                if amount:
                    whole = sum(int(part[:-1]) * units[part[-1]] for part in amount[2].split())
                    sums[words.index(amount[1])] = whole + int(amount[3]) * 1000 + int(amount[4])
        return found

    def test_steps_of_a_lane_are_read_by_arrow_keys_with_exact_times(self):
        record = self.records["day_with_outages"]
        self.open("day_with_outages", zone="UTC")
        expected = records.steps(record.recorders)[2]["atlas", "10.20.0.1"]
        lane = self.texts(".lane b").index("10.20.0.1")
        self.browser.evaluate("document.querySelector('.track').focus()")
        self.press(*["ArrowDown"] * lane, "Home")
        seen = []
        for _ in expected:
            seen.append(self.focused("getAttribute('aria-valuetext')"))
            self.press("ArrowRight")
        words = ["reachable", "unreachable", "unknown", "not monitored"]
        for text, (start, end, state, reason) in zip(seen, expected, strict=True):
            times = [records.time_text(at).replace("T", " ").replace("Z", " +00:00") for at in (start, end)]
            self.assertRegex(text, rf"^{words[state]}(: [a-z ]+)?, from {re.escape(times[0])} to {re.escape(times[1])}, ")
            self.assertEqual(milliseconds(text.split(", ")[-1]), end - start)

    def test_pointing_shows_the_step_in_utc_and_in_the_readers_zone(self):
        self.open("day_with_outages")
        x, y = self.place("10.20.0.1", records.START + 5 * records.HOUR + 20 * records.MINUTE)
        self.browser.mouse("mouseMoved", x, y)
        text = self.texts("#readout")[0]
        self.assertIn("10.20.0.1: unreachable: no route, 1 h 00 min 00.001 s", text)
        self.assertIn("2026-11-22 11:00:00.001 +01:00 to 2026-11-22 12:00:00.002 +01:00", text)
        self.assertIn("2026-11-22 10:00:00.001 UTC to 2026-11-22 11:00:00.002 UTC", text)

    def place(self, lane, instant):
        """The point of the screen where a lane shows an instant of the whole period."""
        number = self.texts(".lane b").index(lane)
        left, top, width, height = self.browser.evaluate(
            f"(({{left, top, width, height}}) => [left, top, width, height])(document.querySelectorAll('.track')[{number}].getBoundingClientRect())")
        begin, end, _ = records.steps(self.records["day_with_outages"].recorders)
        return left + width * (instant - begin) / (end - begin), top + height * 0.7

    # Zooming.

    def test_dragging_zooms_and_the_history_of_the_browser_returns(self):
        self.open("day_with_outages")
        start, end = records.START + 4 * records.HOUR, records.START + 8 * records.HOUR
        self.browser.drag(self.place("Path", start), self.place("Path", end))
        fragment = self.browser.evaluate("location.hash.slice(1)")
        for shown, wanted in zip(map(records.instant_of, fragment.split("/")), [start, end]):
            self.assertLess(abs(shown - wanted), 3 * records.MINUTE)
        zoomed = self.texts("#shown")[0]
        self.assertIn("2026-11-22 ", zoomed)
        sums = self.sums_on_page()["atlas", "10.20.0.1"]
        self.assertEqual(sums[1], records.HOUR + 1)
        self.browser.evaluate("history.back()")
        self.browser.wait("location.hash.length < 2 && document.getElementById('whole').disabled", "the whole period")
        self.browser.evaluate("history.forward()")
        self.browser.wait("location.hash.length > 2 && !document.getElementById('whole').disabled", "the zoomed period")
        self.assertEqual(self.texts("#shown")[0], zoomed)

    def test_the_fragment_of_the_address_selects_the_period(self):
        self.open("day_with_outages", fragment="#2026-11-22T10:00:00.000Z/2026-11-22T10:00:10.000Z")
        self.assertIn("2026-11-22 11:00:00.000 +01:00 to 2026-11-22 11:00:10.000 +01:00", self.texts("#shown")[0])
        self.assertEqual(self.sums_on_page()["atlas", "10.20.0.1"], [1, 9_999, 0, 0])
        for strange in ["#/", "#x/y", "#2026-11-22T11:00:00Z/2026-11-22T10:00:00Z", "#%E0%A4%A", "#events"]:
            self.open("day_with_outages", fragment=strange)
            self.assertTrue(self.browser.evaluate("document.getElementById('whole').disabled"), strange)

    def test_keys_and_buttons_zoom_and_move(self):
        self.open("day_with_outages")
        shown = lambda: [records.instant_of(t) for t in self.browser.evaluate("location.hash.slice(1)").split("/")]
        length = 24 * records.HOUR
        self.browser.evaluate("document.querySelector('.track').focus()")
        self.press("+", "+")
        self.assertEqual(shown(), [records.START, records.START + length // 4])
        self.press("PageDown")
        self.assertEqual(shown()[0], records.START + length * 9 // 40)
        self.browser.evaluate("document.getElementById('later').click()")
        self.assertEqual(shown()[0], records.START + length * 9 // 40 + length // 8)
        self.browser.evaluate("document.getElementById('out').click()")
        self.assertEqual(shown()[1] - shown()[0], length // 2)
        self.press("Escape")
        self.assertEqual(self.browser.evaluate("location.hash"), "")

    def test_dense_changes_are_drawn_in_proportion(self):
        # A column of the flapping hours: neither wholly reachable nor wholly unreachable.
        self.open("flapping")
        shapes = self.browser.evaluate("""(() => {
            const lane = [...document.querySelectorAll('.lane')].find(e => e.querySelector('b').textContent === 'example.com');
            const drawn = lane.querySelector('svg .base-unreachable').getAttribute('d');
            return [...drawn.matchAll(/M([\\d.]+) ([\\d.]+)h([\\d.]+)v([\\d.]+)/g)].map(m => m.slice(1).map(Number));
        })()""")
        columns = {round(x): height for x, y, width, height in shapes if y + height > 39.9}
        width = self.browser.evaluate("document.querySelector('.track svg').viewBox.baseVal.width")
        begin, end, all_steps = records.steps(self.records["flapping"].recorders)
        steps = all_steps["atlas", "example.com"]
        checked = 0
        for x, height in columns.items():
            low, high = (begin + place * (end - begin) / width for place in (x, x + 1))
            down = sum(max(0, min(high, until) - max(low, start)) for start, until, state, _ in steps if state == 1)
            if begin + records.HOUR + 60_000 < low and high < begin + 5 * records.HOUR - 60_000:
                self.assertAlmostEqual(height / 30, down / (high - low), delta=0.02)
                checked += 1
        self.assertGreater(checked, 200)

    # Keyboard, names, contrast.

    def test_focus_moves_from_the_link_over_the_buttons_to_lanes_and_events(self):
        self.open("day_with_outages")
        order = []
        for _ in range(5):
            self.press("Tab")
            order.append(self.browser.evaluate("""(() => { const e = document.activeElement;
                return e.className || e.id || (e.ariaExpanded ? 'incidents' : e.closest('#list') ? 'event' : e.tagName); })()"""))
            self.assertTrue(self.browser.evaluate("""(() => { const s = getComputedStyle(document.activeElement);
                return s.outlineStyle === 'solid' && parseFloat(s.outlineWidth) >= 2; })()"""), order)
        self.assertEqual(order, ["skip", "in", "track", "event", "incidents"])
        # Then the page ends.
        self.press("Tab")
        self.assertEqual(self.focused("tagName"), "BODY")

    STARTS = "#list .when > :first-child"

    def test_every_event_and_incident_is_reached_by_keyboard_and_shows_its_place(self):
        for name in ["day_with_outages", "several_machines", "flapping"]:
            with self.subTest(name):
                self.open(name)
                self.browser.evaluate("document.querySelector('.track').focus()")
                self.press("Tab")
                events = len(self.texts(self.STARTS))
                # Each is unfolded on the way down.
                seen = []
                while len(seen) < 10_000:
                    self.press("ArrowRight")
                    seen.append(self.focused())
                    self.press("ArrowDown")
                    if self.browser.evaluate(f"document.activeElement === [...document.querySelectorAll('{self.STARTS}')].at(-1)"):
                        break
                self.press("ArrowRight", "End")
                expected = self.texts(self.STARTS)
                seen += expected[len(seen):]
                self.assertEqual(seen, expected)
                self.assertGreater(len(expected), events)
                self.press("Home")
                self.assertEqual(self.focused(), expected[0])
                self.press("End")
                lane = self.browser.evaluate("(th => (th.querySelector('small') ?? th).textContent)(document.activeElement.closest('tr').children[2])")
                self.press("Enter")
                self.assertEqual(self.focused("className"), "track")
                self.assertIn(lane.removeprefix("path"), self.focused("getAttribute('aria-label')"))
                self.assertIn("from " + expected[-1], self.focused("getAttribute('aria-valuetext')"))
                start, end = self.browser.evaluate("location.hash.slice(1)").split("/")
                self.assertLess(records.instant_of(start), self.utc(expected[-1]))
                self.assertGreater(records.instant_of(end), self.utc(expected[-1]))

    def utc(self, text):
        return records.instant_of(text.replace(" ", "T", 1).replace(" ", ""))

    def test_the_events_are_summed_as_in_the_report(self):
        for name in RECORDS:
            with self.subTest(name):
                self.open(name, zone="UTC")
                events = re.sub(r" 0(?=\d)", " ", self.texts("#period")[0].partition("s: ")[2])
                events = re.sub(r"(\d) (d|h|m|s)(in)?\b", r"\1\2", events)
                self.assertEqual(events, self.records[name].run().splitlines()[1])

    def rows_of(self, name):
        """The cells of the events or of the unfolded incidents: the first text of each, and the smaller one."""
        return self.browser.evaluate(f"""[...document.querySelectorAll('#list tr.{name}')].map(row =>
            [...row.children].map(cell => [cell.firstChild.textContent, cell.querySelector('small')?.textContent ?? '']))""")

    def test_the_events_are_those_of_the_report_in_its_order(self):
        for name in RECORDS:
            with self.subTest(name):
                self.open(name, zone="UTC")
                lines = [json.loads(line) for line in self.records[name].run("--json").splitlines()]
                groups = [line for line in lines if line["event"] == "group"]
                limit = 1000
                rows = self.rows_of("event")
                self.assertEqual(len(rows), min(len(groups), limit))
                if len(groups) > limit:
                    self.assertIn(f"The {limit} longest of {len(groups)} events", self.texts("#list caption")[0])
                    ranked = sorted(groups, key=lambda group: -group["unreachableMilliseconds"])
                    kept = {id(group) for group in ranked[:limit]}
                    groups = [group for group in groups if id(group) in kept]
                several = "Machine" in self.texts("#list thead th")
                self.assertEqual(several, name == "several_machines")
                for row, group in zip(rows, groups, strict=True):
                    names = list(dict.fromkeys(lane["name"] for lane in group["lanes"]))
                    self.assertEqual(
                        [self.utc(row[0][0]), milliseconds(row[1][0]), row[2][1], row[-1][0]],
                        [records.instant_of(group["start"]), group["unreachableMilliseconds"], ", ".join(names), group["cause"]])
                    if several:
                        self.assertEqual(row[3][0], group["machine"])

    def test_an_event_has_the_words_of_the_report(self):
        for name in ["quiet_day", "day_with_outages", "several_machines"]:
            with self.subTest(name):
                self.open(name, zone="UTC")
                entries = self.records[name].run().split("Events, the oldest first\n\n")[1].rstrip("\n").split("\n\n")
                rows = self.rows_of("event")
                self.assertGreater(len(rows), 0)
                for row, entry in zip(rows, entries, strict=True):
                    headline, cause, *fault = entry.split("\n")
                    what, _, rest = headline.split("  ", 1)[1].partition(" for ")
                    self.assertEqual([row[2][0], row[-1][0]], [what, cause.strip()])
                    self.assertEqual(row[-1][1].replace("Fault: ", "fault: "), (fault or [""])[0].strip())
                    self.assertTrue(rest.endswith(": " + row[2][1] + (f", on {row[3][0]}" if len(row) == 5 else "")), entry)
                    self.assertEqual("then not monitored" in row[1][1], "then not monitored" in rest)

    def test_an_event_unfolds_to_its_incidents(self):
        for name in RECORDS:
            with self.subTest(name):
                self.open(name, zone="UTC")
                lines = [json.loads(line) for line in self.records[name].run("--json").splitlines()]
                expected = [(records.instant_of(line["start"]), line["unreachableMilliseconds"], line["name"], line["cause"])
                            for line in lines if line["event"] == "incident"]
                counts = [len(line["lanes"]) for line in lines if line["event"] == "group"]
                rows = len(self.texts("#list tbody tr"))
                if len(counts) <= rows:
                    self.assertEqual(self.texts("[aria-expanded]"), [f"{count} incidents" for count in counts if count > 1])
                self.assertEqual(self.rows_of("part"), [])
                self.browser.evaluate("document.querySelectorAll('[aria-expanded]').forEach(button => button.click())")
                parts = [(self.utc(row[0][0]), milliseconds(row[1][0]), row[2][0], row[-1][0]) for row in self.rows_of("part")]
                self.assertEqual(set(parts) - set(expected), set())
                self.assertEqual(len(set(parts)), len(parts))
                if len(counts) <= rows:
                    self.assertEqual(len(parts), sum(count for count in counts if count > 1))
                if parts:
                    self.assertEqual(set(self.browser.evaluate(
                        "[...document.querySelectorAll('[aria-expanded]')].map(e => e.ariaExpanded)")), {"true"})
                self.browser.evaluate("document.querySelectorAll('[aria-expanded]').forEach(button => button.click())")
                self.assertEqual(len(self.texts("#list tbody tr")), rows)

    def test_keys_unfold_an_event_and_fold_it_from_within(self):
        self.open("day_with_outages")
        self.browser.evaluate("document.querySelector('.track').focus()")
        self.press("Tab")
        first = self.focused()
        self.press("Tab", "Enter")
        self.assertEqual(self.focused("ariaExpanded"), "true")
        self.assertEqual([row[2][0] for row in self.rows_of("part")], ["path", *records.TARGETS])
        self.press("ArrowDown", "ArrowDown")
        self.assertEqual(self.browser.evaluate("document.activeElement.closest('tr').children[2].textContent"), "default")
        self.press("ArrowLeft")
        self.assertEqual([self.focused(), len(self.rows_of("part"))], [first, 6])
        self.press("ArrowLeft")
        self.assertEqual([self.focused(), self.rows_of("part")], [first, []])

    def test_everything_that_is_focused_has_a_name_and_a_role(self):
        self.open("several_machines")
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        value = lambda node, key: node.get(key, {}).get("value", "")
        focusable = [node for node in nodes if not node["ignored"] and any(
            p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", []))]
        roles = [value(node, "role") for node in focusable if value(node, "role") != "RootWebArea"]
        self.assertEqual([node for node in focusable if not value(node, "name")
                          and value(node, "role") not in ("RootWebArea", "region", "generic", "scrollable")], [])
        self.assertEqual(roles.count("slider"), len(self.texts(".track")))
        self.assertEqual(set(roles) - {"link", "button", "slider", "region", "generic"}, set())
        landmarks = {(value(node, "role"), value(node, "name")) for node in nodes if not node["ignored"]}
        for landmark in [("banner", ""), ("main", ""), ("contentinfo", ""), ("region", "Timeline"), ("region", "Times"),
                         ("region", "Events"), ("group", "Shown period"), ("heading", "Reachability report")]:
            self.assertIn(landmark, landmarks)
        self.assertEqual(self.browser.evaluate("document.documentElement.lang"), "en")

    CONTRAST = """(() => {
        const channels = text => { const v = text.match(/[\\d.]+/g).map(Number); return text.startsWith('color(') ? v.map((x, i) => i < 3 ? x * 255 : x) : v; };
        const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
        const ground = e => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor);
            if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
        const found = [];
        for (const e of document.body.querySelectorAll('*')) {
            if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || ['SCRIPT', 'NOSCRIPT', 'STYLE'].includes(e.tagName) || !e.getClientRects().length) continue;
            const r = ratio(channels(getComputedStyle(e).color), ground(e));
            found.push([Math.round(r * 100) / 100, (e.className || e.tagName) + ': ' + e.textContent.slice(0, 30)]);
        }
        const page = channels(getComputedStyle(document.body).backgroundColor);
        const fill = name => { const e = document.querySelector(name); return channels(getComputedStyle(e).fill); };
        const states = [fill('rect.reachable'), fill('.base-unreachable'), fill('.base-unknown')];
        return {texts: found, states: [ratio(states[0], page), ratio(states[1], page), ratio(states[2], page), ratio(states[0], states[1])]};
    })()"""

    def test_contrast_of_text_is_at_least_four_and_a_half_and_of_states_three(self):
        for scheme, medium in [("light", ""), ("dark", ""), ("light", "print"), ("dark", "print")]:
            with self.subTest(scheme=scheme, medium=medium):
                self.open("day_with_outages")
                self.browser.colours(scheme, medium)
                self.browser.evaluate("document.querySelector('.track').focus()")
                found = self.browser.evaluate(self.CONTRAST)
                self.assertGreater(len(found["texts"]), 100)
                self.assertEqual([entry for entry in found["texts"] if entry[0] < 4.5], [])
                self.assertGreaterEqual(min(found["states"][:2] + found["states"][3:]), 3)
                self.assertGreaterEqual(found["states"][2], 2.7)
        self.browser.colours("light")

    def test_states_differ_without_colour(self):
        self.open("day_with_outages")
        fills = self.browser.evaluate("""['reachable', 'unreachable', 'unknown', 'notMonitored'].map(name =>
            getComputedStyle(document.querySelector('#legend .' + name)).fill)""")
        patterns = [fill for fill in fills if fill.startswith("url(")]
        self.assertEqual(len(set(patterns)), 3)
        self.assertEqual(self.texts("#legend li")[:4], ["reachable", "unreachable", "unknown", "not monitored"])
        # Only rectangles: no line of the timeline is sloped, except for the marks of incidents.
        paths = self.browser.evaluate("""[...document.querySelectorAll('.track path:not(.mark)')].map(e => e.getAttribute('d')).join('')""")
        self.assertRegex(paths, r"^[\d.MhvVz \-]+$")

    def test_no_label_in_a_lane_is_cut_off(self):
        found = set()
        for name in ["day_with_outages", "several_machines"]:
            for width in (390, 700, 1000, 1280, 1900):
                with self.subTest(name, width=width):
                    self.open(name, width=width)
                    cut = self.browser.evaluate("""[...document.querySelectorAll('.tag')]
                        .filter(tag => tag.scrollWidth > tag.clientWidth).map(tag => tag.textContent)""")
                    self.assertEqual(cut, [])
                    found.update(self.texts(".tag"))
        self.assertTrue(found)

    # Narrow screens, and zoom.

    LAYOUT = """(() => {
        const found = [];
        for (const cell of document.querySelectorAll('#times tbody > tr > *, #list tbody > tr > *')) {
            if (cell.getBoundingClientRect().width < 64) found.push('narrow: ' + cell.textContent);
            const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            for (let node; node = walker.nextNode();) {
                const range = document.createRange(); range.selectNodeContents(node);
                const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
                if (lines > node.data.trim().split(/[\\s,;:-]+/).length) found.push(lines + ' lines: ' + node.data);
            }
        }
        for (const row of document.querySelectorAll('tbody > tr')) if (row.offsetHeight > 336) found.push(row.offsetHeight + ' high: ' + row.textContent);
        if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the screen: ' + document.documentElement.scrollWidth);
        return found;
    })()"""

    def test_tables_can_be_read_at_any_width_and_zoom(self):
        for name in ["day_with_outages", "several_machines"]:
            # The last one is a screen of 1280 pixels at 200 %.
            for width, scale in [(360, 1), (390, 1), (768, 1), (1000, 1), (1280, 1), (640, 2)]:
                with self.subTest(name, width=width, scale=scale):
                    self.open(name, width=width, scale=scale)
                    self.browser.evaluate("document.querySelectorAll('[aria-expanded]').forEach(button => button.click())")
                    self.assertEqual(self.browser.evaluate(self.LAYOUT), [])
                    # A card names what a column's heading would.
                    label = self.browser.evaluate("getComputedStyle(document.querySelector('#times td'), '::before').content")
                    self.assertEqual(label != "none", width <= 960)
                    nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
                    roles = [node.get("role", {}).get("value") for node in nodes if not node["ignored"]]
                    self.assertEqual(roles.count("table"), 2)
                    self.assertEqual(roles.count("row"), 2 + len(self.texts("tbody tr")))
                    self.assertEqual(roles.count("columnheader"), len(self.texts("thead th")))

    # Hostile names, redaction, size.

    def test_names_inject_nothing(self):
        self.open("hostile")
        self.assertIsNone(self.browser.evaluate("window.stranger ?? null"))
        self.assertEqual(sorted(self.texts(".lane b")[1:1 + len(records.HOSTILE)]), sorted(name.replace("\u2028", "\\u{2028}") for name in records.HOSTILE))
        self.assertIn("Machine <b>machine</b>.", self.texts("#note")[0])
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('script').length"), 2)

    def test_the_policy_forbids_other_scripts_and_loading(self):
        text = open(TEMPLATE, encoding="utf-8").read()
        self.assertEqual(text, signed(text), "run scripts/test-page --sign")
        policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        self.assertEqual(rules["default-src"], "'none'")
        self.assertTrue(set(rules) <= {"default-src", "script-src", "style-src", "base-uri", "form-action"})
        self.assertNotIn("unsafe", policy)
        self.open("quiet_day")
        tried = self.browser.evaluate("""new Promise(done => {
            const image = new Image(); image.onerror = () => done('refused'); image.onload = () => done('loaded');
            image.src = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'; })""")
        self.assertEqual(tried, "refused")
        # The browser reports this attempt.
        self.assertEqual(len([text for text in self.browser.complaints() if "violates" in text]), 1)
        self.loaded = False

    def test_a_redacted_page_has_no_name_and_no_address(self):
        for name in ["day_with_outages", "several_machines", "hostile"]:
            with self.subTest(name):
                record = self.records[name]
                page = record.report("redacted.html", "--redact")
                self.open(name, page=page)
                text = re.search(r'<script id="record"[^>]*>(.*?)</script>', open(page, encoding="utf-8").read(), re.S)[1]
                self.assertTrue(json.loads(text)["redacted"])
                names = [recorder.machine for recorder in record.recorders] + record.recorders[0].targets
                for secret in [*names, "wlp2s0", "enp3s0", "192.0.2."]:
                    if secret not in ("default", "RECORD"):
                        self.assertFalse(json.dumps(secret)[1:-1].replace("<", "\\u003c") in text, secret)
                        self.assertFalse(secret in text, secret)
                self.assertIn("target 1", self.texts(".lane b"))
                self.assertIn("Names and addresses are replaced.", self.texts("#note")[0])

    def test_a_year_takes_less_than_a_megabyte_and_loads_within_two_seconds(self):
        size = os.path.getsize(self.records["year"].page)
        seconds = statistics.median(self.open("year") for _ in range(3))
        print(f"year: {size} bytes, drawn after {seconds:.2f} s", file=sys.stderr)
        self.assertLess(size, 1_000_000)
        self.assertLess(seconds, 2)

    def test_summed_steps_show_the_time_in_each_state(self):
        record = self.records["year"]
        embedded = self.embedded(record.page)
        self.assertGreater(embedded["resolution"], 0)
        number = embedded["names"].index("example.com")
        numbers, steps = embedded["steps"][number], []
        while numbers:
            steps.append(numbers[:6 if numbers[1] == 4 else 3])
            numbers = numbers[len(steps[-1]):]
        position = next(n for n, step in enumerate(steps) if step[1] == 4 and step[3] > 0)
        start = embedded["from"] + sum(step[0] for step in steps[:position])
        length, _, *times = steps[position]
        # What the step stands for, calculated from the record.
        expected = [0] * 4
        for begin, end, state, _ in records.steps(record.recorders)[2]["atlas", "example.com"]:
            expected[state] += max(0, min(end, start + length) - max(begin, start))
        self.assertEqual(times, expected)
        period = "/".join(map(records.time_text, [start - length, start + 2 * length]))
        self.open("year", fragment="#" + period)
        self.assertIn("many changes", self.browser.evaluate(f"document.querySelectorAll('.track')[{number}].textContent"))
        self.browser.evaluate(f"document.querySelectorAll('.track')[{number}].focus()")
        for _ in range(5):
            if "many changes" in self.focused("getAttribute('aria-valuetext')"):
                break
            self.press("ArrowRight")
        text = self.texts("#readout p")[0]
        found = {word: milliseconds(" ".join(amount)) for word, *amount in
                 (part.split(" ") for part in text.split("many changes: ")[1].split(", "))}
        words = ["reachable", "unreachable", "unknown"]
        self.assertEqual(found, {word: time for word, time in zip(words, expected) if time})
        # Half of it: the sums say that they are no longer exact.
        period = "/".join(map(records.time_text, [start - length, start + length // 2]))
        self.open("year", fragment="#" + period)
        self.assertIn("divided evenly at the edges", self.texts("#times caption")[0])

    def embedded(self, page):
        with open(page, encoding="utf-8") as file:
            return json.loads(re.search(r'<script id="record"[^>]*>(.*?)</script>', file.read(), re.S)[1])

    def test_axes_follow_summer_time(self):
        # Nights in October: the clock of Berlin goes back at 01:00 UTC on the 25th.
        self.open("year", fragment="#2026-10-24T12:00:00.000Z/2026-10-26T12:00:00.000Z")
        ticks = lambda place: self.browser.evaluate(f"""[...document.querySelectorAll('.axis.{place} .ticks span')].map(e =>
            [e.textContent, parseFloat(e.style.left)])""")
        where = lambda text, place: next(x for t, x in ticks(place) if t == text)
        hours = lambda x: x / 100 * 48
        self.assertAlmostEqual(hours(where("25 Oct", "top")), 10, places=3)
        self.assertAlmostEqual(hours(where("26 Oct", "top")), 35, places=3)
        self.assertAlmostEqual(hours(where("26 Oct", "bottom")), 36, places=3)

    def test_an_axis_names_all_offsets_of_its_period(self):
        names = {"2026-10-24T12:00:00.000Z/2026-10-25T00:59:59.999Z": "UTC+02:00",
                 "2026-10-25T01:00:00.000Z/2026-10-26T12:00:00.000Z": "UTC+01:00",
                 "2026-10-24T12:00:00.000Z/2026-10-26T12:00:00.000Z": "UTC+02:00, +01:00",
                 # Winter at both ends.
                 "2026-01-01T12:00:00.000Z/2026-11-02T12:00:00.000Z": "UTC+01:00, +02:00"}
        for period, offsets in names.items():
            self.open("year", fragment="#" + period)
            self.assertEqual(self.texts(".axis.top .name"), [f"Europe/Berlin ({offsets})"])
            self.assertEqual(self.texts(".axis.bottom .name"), ["UTC"])

    def test_ticks_of_any_period_do_not_overlap_and_are_in_order(self):
        record = Record("ages", self.folder.name)
        self.open("ages", page=record.page)
        self.assertIn("0050-03-01 00:53:28.000 +00:53:28 to 9000-03-01 02:00:00.000 +01:00, ", self.texts("#period")[0])
        for years in [8949, 4000, 900, 90, 9, 1, 0.1, 0.001]:
            for width, zone in [(1280, "Europe/Berlin"), (390, "UTC")]:
                with self.subTest(years=years, width=width):
                    start = records.instant_of("0050-03-01T00:00:00Z")
                    until = start + round(years * 365.2425 * records.DAY)
                    period = records.time_text(start) + "/" + records.time_text(until)
                    self.open("ages", page=record.page, width=width, zone=zone, fragment="#" + period)
                    boxes = self.browser.evaluate("""[...document.querySelectorAll('.axis.top .ticks span')].map(e =>
                        [e.getBoundingClientRect().left, e.getBoundingClientRect().right, e.textContent])""")
                    self.assertGreater(len(boxes), 1)
                    self.assertEqual([(one, next) for one, next in zip(boxes, boxes[1:]) if next[0] < one[1] + 2], [])
                    if years > 50:
                        # The years are where they belong, as exactly as a style has a share.
                        ticks = self.browser.evaluate("""[...document.querySelectorAll('.axis.top .ticks span')].map(e =>
                            [e.textContent, parseFloat(e.style.left)])""")
                        for text, share in ticks:
                            begin = records.instant_of(f"{int(text):04}-01-01T00:00:00Z")
                            self.assertLess(abs(start + (until - start) * share / 100 - begin), 2e-6 * (until - start), text)

    # Pictures.

    def test_pictures_match_the_references(self):
        for name in RECORDS:
            with self.subTest(name):
                self.open(name, width=1000, height=700)
                path = os.path.join(self.folder.name, name + ".png")
                self.browser.picture(path, whole=False)
                reference = os.path.join(REFERENCES, name + ".png")
                if os.environ.get("RECORD_PICTURES"):
                    os.makedirs(REFERENCES, exist_ok=True)
                    os.replace(path, reference)
                    continue
                difference = self.difference(path, reference)
                if difference >= 0.01 and os.environ.get("KEEP_PICTURES"):
                    os.replace(path, os.path.join(os.environ["KEEP_PICTURES"], name + ".png"))
                self.assertLess(difference, 0.01)

    def difference(self, *paths):
        """The share of pixels that differ by more than a sixth of a colour's range, after both pictures are blurred a little."""
        addresses = ["data:image/png;base64," + base64.b64encode(open(path, "rb").read()).decode() for path in paths]
        self.assertEqual(self.browser.complaints(), [])
        self.browser.load("about:blank")
        difference = self.browser.evaluate("""Promise.all(%s.map(async address => {
            const image = new Image(); image.src = address; await image.decode();
            const canvas = document.createElement('canvas'); [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext('2d'); context.filter = 'blur(1px)'; context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height);
        })).then(([one, other]) => {
            if (one.width !== other.width || one.height !== other.height) return 1;
            let count = 0;
            for (let i = 0; i < one.data.length; i += 4)
                if ([0, 1, 2].some(c => Math.abs(one.data[i + c] - other.data[i + c]) > 42)) count += 1;
            return count / (one.width * one.height);
        })""" % json.dumps(addresses))
        # What is the page's has been checked above.
        self.browser.events = []
        return difference

    def test_printed_pages_are_a4_across(self):
        self.open("day_with_outages")
        path = os.path.join(self.folder.name, "print.pdf")
        self.browser.pdf(path)
        boxes = set(re.findall(rb"/MediaBox ?\[([^\]]*)\]", open(path, "rb").read()))
        sizes = [[round(float(number)) for number in box.split()] for box in boxes]
        self.assertEqual([[abs(a - b) <= 1 for a, b in zip(size, [0, 0, 842, 595])] for size in sizes], [[True] * 4])
        # What is printed fits: nothing is wider than the page.
        self.browser.colours("light", "print")
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('#list td')).display"), "table-cell")
        self.browser.call("Emulation.setDeviceMetricsOverride", width=1032, height=700, deviceScaleFactor=1, mobile=False)
        self.assertEqual(self.browser.evaluate("""[...document.querySelectorAll('body *')].filter(e => !e.closest('.skip, svg') &&
            e.getBoundingClientRect().right > 1033).map(e => e.outerHTML.slice(0, 60))"""), [])
        self.browser.colours("light")


def signed(text):
    """The template with the hashes of its style and its script."""
    def hash_of(tag):
        content = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        assert len(content) == 1, tag
        return base64.b64encode(hashlib.sha256(content[0].encode()).digest()).decode()

    text = re.sub(r"script-src '[^']*'", f"script-src 'sha256-{hash_of('script')}'", text)
    return re.sub(r"style-src '[^']*'", f"style-src 'sha256-{hash_of('style')}'", text)


if __name__ == "__main__":
    if sys.argv[1:] in (["--sign"], ["--is-signed"]):
        text = open(TEMPLATE, encoding="utf-8").read()
        if sys.argv[1] == "--is-signed":
            sys.exit(text != signed(text))
        open(TEMPLATE, "w", encoding="utf-8").write(signed(text))
    else:
        unittest.main(verbosity=2)
