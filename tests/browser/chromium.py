"""Starting the Chromium that is installed here, and what axe-core says of a page."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

AXE = "axe-core@4.14.1"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_CACHE = Path(__file__).parents[2] / ".cache" / "axe"
_FLAGS = [
    "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def missing() -> str:
    """Why there is no browser here; empty when there is one."""
    try:
        import playwright  # noqa: F401
    except ModuleNotFoundError:
        return "Playwright is not installed: scripts/test --browser"
    return "" if program() else f"none of {', '.join(NAMES)} is on PATH, and CHROMIUM names none"


def program() -> str | None:
    """The browser's program."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def browser() -> Iterator[Any]:
    """A running Chromium with a fresh profile."""
    from playwright.sync_api import sync_playwright

    flags = [*_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program(), args=flags)
        try:
            yield found
        finally:
            found.close()


def axe() -> str | None:
    """The source of axe-core, fetched once by npm; None when that cannot be had."""
    source = _CACHE / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not source.exists() and npm:
        _CACHE.mkdir(parents=True, exist_ok=True)
        command = [
            npm,
            "install",
            "--prefix",
            str(_CACHE),
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            AXE,
        ]
        subprocess.run(command, check=False, capture_output=True, timeout=120)
    return source.read_text(encoding="utf-8") if source.exists() else None


def violations(page: Any, source: str) -> list[str]:
    """What axe-core finds wrong, with the first place of each."""
    page.evaluate(source)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]
