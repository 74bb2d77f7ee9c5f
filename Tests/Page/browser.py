# SPDX-License-Identifier: Apache-2.0
"""Drives Debian's Chromium, headless, by the DevTools protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class BrowserError(Exception):
    pass


class Browser:
    """A browser with one page, which may load files only."""

    def __init__(self, program="chromium", deadline=30):
        self.deadline = deadline
        self.profile = tempfile.mkdtemp(prefix="page-")
        commands, self.output = os.pipe()
        self.input, events = os.pipe()

        def descriptors():
            # The browser reads commands from 3 and writes events to 4. The copies keep the two apart.
            reading, writing = os.dup(commands), os.dup(events)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile, "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none",
             "--disable-lcd-text", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"],
            preexec_fn=descriptors, pass_fds=[3, 4, commands, events], start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(events)
        self.bytes, self.number, self.events, self.session = b"", 0, [], None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"]:
            self.call(domain + ".enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    # Messages.

    def receive(self, end):
        while b"\0" not in self.bytes:
            ready, _, _ = select.select([self.input], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise BrowserError("the browser does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise BrowserError("the browser has ended")
            self.bytes += part
        message, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.output, text):]
        end = time.monotonic() + self.deadline
        while True:
            answer = self.receive(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, condition, what):
        """Waits until an expression of the page is true."""
        end = time.monotonic() + self.deadline
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise BrowserError("waited in vain for: " + what)

    def event(self, method):
        """Waits for an event, which may have arrived already."""
        end = time.monotonic() + self.deadline
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive(end))

    # Pages.

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def open(self, path, width=1280, height=900, dark=False, zone="Europe/Berlin", fragment="", scale=1):
        """Loads a file, and returns the seconds until it was drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setTimezoneOverride", timezoneId=zone)
        self.colours("dark" if dark else "light")
        # Another document, so that a fragment alone is not only a step within the page.
        self.load("about:blank")
        self.events = []
        start = time.monotonic()
        self.load("file://" + os.path.abspath(path) + fragment)
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - start

    def load(self, address):
        self.events = [event for event in self.events if event.get("method") != "Page.loadEventFired"]
        answer = self.call("Page.navigate", url=address)
        if answer.get("errorText"):
            raise BrowserError(f"{address}: {answer['errorText']}")
        self.event("Page.loadEventFired")

    def colours(self, scheme, medium=""):
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def complaints(self):
        """What the page wrote to the console, threw, or tried to load."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append(str(parameters["args"]))
            elif method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Network.requestWillBeSent" and parameters["type"] != "Document":
                found.append("request of " + parameters["request"]["url"])
        return found

    def picture(self, path, whole=True):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, optimizeForSpeed=False)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def pdf(self, path):
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    # Input.

    KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
            "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

    def press(self, key, shift=False):
        values = {"key": key, "code": key, "windowsVirtualKeyCode": self.KEYS.get(key, 0), "modifiers": 8 if shift else 0}
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", **values)

    def mouse(self, kind, x, y, buttons=0):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if buttons or kind != "mouseMoved" else "none",
                  buttons=buttons, clickCount=1 if kind != "mouseMoved" else 0)

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, buttons=1)
        for part in range(1, 5):
            self.mouse("mouseMoved", *(a + (b - a) * part / 4 for a, b in zip(start, end)), buttons=1)
        self.mouse("mouseReleased", *end, buttons=0)
