#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of the guides in networks of their own, and compares with what the guides show.

Arguments: the folder of the programs, then names of guides; or --list. BLOCKS has each block of commands.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Run:
    """A block that runs here."""
    world: str  # the function of worlds.bash that makes the network
    statuses: tuple = ()  # of its commands; 0 where none is named
    attempts: int = 1  # more where chance decides in which order the kernel's timers run


@dataclass
class Elsewhere:
    """A block that needs what this test does not make."""
    needs: str
    test: str = ""  # the test that runs its commands


@dataclass
class Save:
    """A block that is a file; later blocks of the guide read it."""
    name: str


# The blocks of each guide, in their order. "sh" blocks show no output.
BLOCKS = {
    "CommandLine": [Run("check", (1,)), Run("trouble", (1,))],
    "WaitAtStart": [
        Run("office"),
        Run("unplugged", (1,)),
        Run("gate"),
        Run("office"),
        Run("office"),
    ],
    "DoesAnythingAnswer": [
        Run("dead_uplink", (0, 1, 1)),
        Run("uplink_dies", attempts=3),
        Save("network.sh"),
        Run("kill_switch", (1,)),
        Run("left_behind"),
    ],
    "FirewallRules": [Run("firewall", (1,))],
    "Fleets": [Run("node_exporter"), Run("export_unit"), Run("record_unit_with_metrics")],
    "RecordingHistory": [
        Run("office"),
        Run("record_unit"),
        Run("two_lines"),
        Run("office"),
        Run("office"),
        Run("hour"),
        Run("hour"),
        Elsewhere("a booted system that records", "Benchmarks/boot-gates"),
        Elsewhere("a page that the timer has written", "Benchmarks/boot-gates"),
    ],
    "RequestsAndVerification": [Run("portal")],
    "OnKubernetes": [
        Elsewhere("a build, and a registry", "scripts/test-install image"),
    ],
    "BeforeYouChangeTheNetwork": [
        Run("two_uplinks", (1,)),
        Run("two_uplinks_and_script"),
        Save("new-address.sh"),
        Run("two_uplinks", (2,)),
        Run("two_uplinks_and_right_script", (1,)),
        Run("prohibited"),
        Run("two_uplinks", (0, 1)),
    ],
    "Examples/README": [Elsewhere("a build", "Examples/run")],
}

# Lines of hardware, for which the networks here have virtual cables.
HARDWARE = {
    "advice: Check the cable, or the switch at the other end.": "advice: Bring up the other end of eth0, or the link below it.",
}

# Commands that run until they are stopped.
ENDLESS = re.compile(r"(sudo )?reachability (watch|record|export)\b")


@dataclass
class Command:
    text: str
    is_root: bool
    output: list = field(default_factory=list)


def guides():
    """The pages with commands, by their names."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), ROOT / "Examples/README.md", *ROOT.glob("gio/*.md")]
    pages += ROOT.glob("Sources/*/*.docc/*.md")
    named = {}
    for page in sorted(pages):
        if page.is_symlink():
            continue
        name = page.stem if page.parent.suffix == ".docc" else str(page.relative_to(ROOT).with_suffix(""))
        blocks = re.findall(r"^```(console|sh)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
        if blocks:
            named[name] = blocks
    return named


def commands(language, text):
    """The commands of a block, with the output that follows each."""
    if language == "sh":
        return [Command(text, True)]
    found = []
    for line in text.splitlines():
        if line[:2] in ("$ ", "# "):
            found.append(Command(line[2:], line[0] == "#" or line.startswith("$ sudo ")))
        else:
            found[-1].output.append(line)
    return found


def form(line):
    """A line without what differs from run to run."""
    # A guide shows the time of day, as a terminal does; the command writes to a file here.
    line = re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d:\d\d)?|^\d\d:\d\d:\d\d\.\d{3}\b", "TIME", line)
    line = re.sub(r"\bfe80::[0-9a-f]+:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+", "fe80::RANDOM", line)
    line = re.sub(r"\d+(\.\d+)? (µs|ms|s|minutes?|hours?)\b", "DURATION", line)
    return " ".join(line.split())


def members(line):
    return re.findall(r'"(\w+)":', line)


def difference(shown, found):
    """Why the output does not have the form that the guide shows; None if it has."""
    wanted = [form(HARDWARE.get(line.strip(), line)) for line in shown if line.strip()]
    lines = [form(line) for line in found.splitlines() if line.strip()]
    place = 0
    for number, line in enumerate(wanted):
        if line == "…":
            following = wanted[number + 1] if number + 1 < len(wanted) else None
            while place < len(lines) and lines[place] != following:
                place += 1
        elif place == len(lines):
            return f"the output ends before: {line}"
        elif line.startswith("{") and lines[place].startswith("{"):
            pairs = list(zip(members(line), members(lines[place])))
            if len(pairs) < 3 or any(left != right for left, right in pairs):
                return f"members differ:\n  guide:  {line}\n  output: {lines[place]}"
            place += 1
        elif line != lines[place]:
            return f"\n  guide:  {line}\n  output: {lines[place]}"
        else:
            place += 1
    return f"the guide does not show: {lines[place]}" if wanted and place < len(lines) else None


def run(block, typed, saved, programs):
    """Types the commands of a block in its network; returns what is wrong, or None if this machine cannot have the network."""
    folder = Path(tempfile.mkdtemp(prefix="guides."))
    folder.chmod(0o755)
    try:
        work = folder / "work"
        work.mkdir()
        for name, text in saved.items():
            (work / name).write_text(text)
        for place, command in enumerate(typed):
            (folder / f"{place:02}.command").write_text(command.text)
            (folder / f"{place:02}.user").write_text("root" if command.is_root else "1000")
            (folder / f"{place:02}.input").write_text("\n".join(command.output) + "\n")
            if ENDLESS.match(command.text):
                (folder / f"{place:02}.endless").touch()
            # What a guide prints with 'cat' is the file.
            if match := re.fullmatch(r"cat ([\w.-]+)", command.text):
                (work / match[1]).write_text("\n".join(command.output) + "\n")
        shutil.chown(work, 1000, 1000)
        done = subprocess.run(
            ["sh", "-c", 'for group in $GROUPS_OF_GUIDES; do echo $$ >"$group/cgroup.procs"; done; exec "$@"', "sh",
             "timeout", "--kill-after=5", "150", "unshare", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork",
             "--kill-child", "--mount-proc", "bash", str(ROOT / "Tests/Guides/worlds.bash"), block.world, str(folder),
             str(programs)],
            capture_output=True, text=True, check=False, cwd=ROOT, stdin=subprocess.DEVNULL)
        if done.returncode == 77:
            print(f"cannot test: {done.stdout.strip()}")
            return None
        if done.returncode != 0:
            return [f"the network '{block.world}': {done.stdout}{done.stderr}"]
        problems = []
        for place, command in enumerate(typed):
            output = (folder / f"{place:02}.output").read_text(errors="replace")
            status = int((folder / f"{place:02}.status").read_text())
            wanted = block.statuses[place] if place < len(block.statuses) else 0
            if status != wanted:
                problems.append(f"{command.text}\nexit status {status}, not {wanted}:\n{output}{done.stderr}")
            elif "systemctl edit" not in command.text and (why := difference(command.output, output)):
                problems.append(f"{command.text}\n{why}\n{output}")
        return problems
    finally:
        shutil.rmtree(folder)


def main():
    found = guides()
    if sys.argv[1] == "--list":
        for guide, blocks in BLOCKS.items():
            for number, block in enumerate(blocks, 1):
                if isinstance(block, Run):
                    print(f"{guide} {number}: the network '{block.world}'")
                elif isinstance(block, Elsewhere):
                    print(f"{guide} {number}: needs {block.needs}" + (f": {block.test}" if block.test else ""))
        return 0
    programs, wanted = Path(sys.argv[1]), sys.argv[2:]
    failures = 0

    def fail(text):
        nonlocal failures
        failures += 1
        print(f"error: {text}", flush=True)

    if set(found) != set(BLOCKS):
        fail(f"guides with commands that BLOCKS lacks, or without: {set(found) ^ set(BLOCKS)}")
    for guide in wanted or BLOCKS:
        if guide not in found:
            fail(f"no guide {guide} has commands")
            continue
        blocks, plan = found[guide], BLOCKS[guide]
        if len(blocks) != len(plan):
            fail(f"{guide} has {len(blocks)} blocks of commands, and BLOCKS {len(plan)}")
            continue
        saved = {block.name: text for (_, text), block in zip(blocks, plan) if isinstance(block, Save)}
        for number, ((language, text), block) in enumerate(zip(blocks, plan), 1):
            if isinstance(block, Run):
                for _ in range(block.attempts):
                    problems = run(block, commands(language, text), saved, programs)
                    if not problems:
                        break
                for problem in problems or ():
                    fail(f"{guide}, block {number}: {problem}")
                if problems == []:
                    print(f"{guide}, block {number}: as shown", flush=True)
            elif isinstance(block, Elsewhere):
                print(f"{guide}, block {number}: needs {block.needs}" + (f": {block.test}" if block.test else ""))
    return 1 if failures else 0


os.environ["LC_ALL"] = "C.UTF-8"
sys.exit(main())
