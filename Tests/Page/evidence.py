# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of docs/evidence: scripts/test-page --evidence."""

import os
import shutil
import subprocess
import tempfile

from browser import Browser
from test import FOLDER, Record

PLACE = os.path.join(FOLDER, "../../docs/evidence/pictures")


def shrink(path):
    """Fewer colours, where ImageMagick is installed: a third of the size."""
    if shutil.which("convert"):
        subprocess.run(["convert", path, "-strip", "-colors", "64", "-define", "png:compression-level=9", path], stderr=subprocess.DEVNULL, timeout=60)


def take():
    os.makedirs(PLACE, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        def picture(name, whole=False):
            path = os.path.join(PLACE, f"2026-11-report-{name}.png")
            browser.picture(path, whole=whole)
            shrink(path)

        day, year = Record("day_with_outages", folder), Record("year", folder)
        browser.open(day.page, height=880)
        browser.evaluate("document.querySelector('.track').focus()")
        for key in ["ArrowDown"] * 4 + ["Home", "ArrowRight"]:
            browser.press(key)
        picture("day-light")
        browser.colours("dark")
        picture("day-dark")
        browser.open(year.page, height=760)
        picture("year-light")
        browser.colours("dark")
        picture("year-dark")
        browser.open(day.page)
        printed = os.path.join(folder, "print.pdf")
        browser.pdf(printed)
        if shutil.which("pdftoppm"):
            target = os.path.join(PLACE, "2026-11-report-day-print")
            subprocess.run(["pdftoppm", "-r", "80", "-png", "-f", "1", "-singlefile", printed, target], check=True, timeout=60)
            shrink(target + ".png")


take()
