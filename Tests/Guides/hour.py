#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a record of an hour: an outage of six minutes, three flaps, and nothing of the last quarter."""
import json
from datetime import datetime, timedelta, timezone

START = datetime(2026, 11, 23, 8, tzinfo=timezone.utc)


def line(milliseconds, **members):
    time = (START + timedelta(milliseconds=int(milliseconds))).isoformat(timespec="milliseconds")[:-6] + "Z"
    uptime = 1_000_000_000 + int(milliseconds * 1000)
    print(json.dumps({"version": 1, "time": time, "uptimeMicroseconds": uptime, **members}, separators=(",", ":")))


def start(time, run):
    line(time, machine="db1", machineID=None, boot="b", run=run, program="0.1.0", targets=["10.9.0.1"], interface=None,
         heartbeatSeconds=60, event="start")


def path(time, status, reason=None):
    eth0 = {"name": "eth0", "addresses": ["10.1.0.1/24"]}
    usable = [{**eth0, "gateways": ["10.1.0.254"]}] if reason is None else []
    unusable = [] if reason is None else [{**eth0, "reason": reason}]
    line(time, path=status, reason=reason, interfaces=usable, unusableInterfaces=unusable, gateways=[], event="change")


def target(time, status, reason=None, device="eth0", gateway="10.1.0.254"):
    line(time, target="10.9.0.1", status=status, reason=reason, flags=[], interface=device, gateway=gateway, addresses=[],
         event="change", previous=None)


def heartbeats(first, last):
    for time in range(first, last + 1, 60_000):
        line(time, event="heartbeat")


start(0, "1")
path(1, "satisfied")
target(2, "reachable")
heartbeats(60_000, 540_000)
path(600_000, "unsatisfied", "noCarrier")
target(600_000.3, "notReachable", "noCarrier")
target(600_003.5, "notReachable", "noRoute", None, None)
heartbeats(660_000, 900_000)
path(960_000, "satisfied")
target(960_001, "reachable")
heartbeats(1_020_000, 1_980_000)
for moment in (2_000_000, 2_010_000, 2_020_000):
    target(moment, "notReachable", "prohibited")
    target(moment + 40, "reachable")
heartbeats(2_040_000, 2_700_000)
line(2_700_000, event="stop")
start(3_600_000, "2")
