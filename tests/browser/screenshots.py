"""The pictures in the README. `python -m tests.browser.screenshots` (by scripts/screenshots) makes them anew."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from rt_config import settings as configuration
from rt_mailbox import server
from tests import showcase
from tests.browser import chromium
from tests.helpers import Bus
from tests.web_visitor import serving

FOLDER = Path(__file__).parents[2] / "docs" / "images"
PICTURES: dict[str, dict[str, Any]] = {
    "page.png": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"},
    "page-narrow-dark.png": {"viewport": {"width": 390, "height": 860}, "color_scheme": "dark"},
}


def main() -> None:
    """Lay a table into a bus of its own, open it, take the pictures."""
    if why := chromium.missing():
        raise SystemExit(why)
    with tempfile.TemporaryDirectory(prefix="rt-", dir="/tmp") as base:
        os.environ |= {"RT_HOME": f"{base}/h", "RT_CONFIG": f"{base}/config.toml", "TZ": "UTC"}
        settings = configuration.load(Path(base))
        url = server.ensure(settings, lambda _line: None)
        try:
            laid = showcase.lay(Bus(settings, url))
            with serving() as (_, link), chromium.browser() as chrome:
                for name, how in PICTURES.items():
                    page = chrome.new_context(**how).new_page()
                    page.goto(link)
                    page.wait_for_url(link.partition("?")[0])
                    page.goto(f"{link.partition('?')[0]}t/{laid.table}")
                    page.wait_for_selector("text=9:5")  # the clock of the one who answers has begun to run
                    page.screenshot(path=FOLDER / name)
        finally:
            server.stop(settings, 5.0)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    main()
