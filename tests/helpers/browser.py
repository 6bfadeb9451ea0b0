"""A page of linked views in headless Chromium, served by the real command."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from helpers.command import PROGRAM

SWITCHES = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Run ``provhouse crossfilter`` in a folder; yield the link that it prints, and the process."""
    command = [str(PROGRAM), "crossfilter", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().split()[1], process
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser. Without Chromium, skip the test, or fail if all tests must run."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        why = "Chromium is not installed: run tools/chromium.sh as root"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()


def drag(page: Any, chart: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag the mouse over a chart. Positions are fractions of the chart's width and height."""
    box = page.locator(chart).bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=5)
    page.mouse.up()
