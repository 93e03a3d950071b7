"""One Chromium for all tests, a table on a page for each; skipped by name where there is no browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests import showcase
from tests.browser import chromium
from tests.cli.laid import Laid
from tests.helpers import Bus
from tests.web_visitor import serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything here, and skip it where nothing can run."""
    why = chromium.missing()
    for item in items:
        if item.path.parent.name == "browser":
            item.add_marker(pytest.mark.browser)
            if why:
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session", name="chrome")
def one_chromium() -> Iterator[Any]:
    """The browser."""
    with chromium.browser() as found:
        yield found


@pytest.fixture(scope="session", name="axe")
def accessibility_rules() -> str:
    """The source of axe-core."""
    return chromium.axe() or pytest.skip("axe-core cannot be had: no npm, or no registry")


@dataclass
class Seat:
    """A person before a browser: `page` is open on the table."""

    laid: Laid
    page: Any
    home: str
    trouble: list[str]
    asked: list[str]

    @property
    def url(self) -> str:
        """The table's page."""
        return f"{self.home}t/{self.laid.table}"

    def interrupted(self, dialog: Any) -> None:
        """Nothing on our pages opens a dialog."""
        self.trouble.append(dialog.message)
        dialog.dismiss()

    def count(self, what: str) -> int:
        """How many elements there are."""
        return int(self.page.locator(what).count())


@dataclass
class Chair:
    """Makes seats at one server; `how` are Playwright's options of a context."""

    chrome: Any
    laid: Laid
    link: str

    def sit(self, where: str = "", **how: Any) -> Seat:
        """A fresh profile that opened the first link and then the table; what goes wrong there is in `trouble`."""
        context = self.chrome.new_context(**{"viewport": {"width": 1440, "height": 900}, **how})
        page = context.new_page()
        seat = Seat(self.laid, page, self.link.partition("?")[0], [], [])
        page.on(
            "console", lambda one: seat.trouble.append(one.text) if one.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: seat.trouble.append(str(error)))
        page.on("dialog", seat.interrupted)
        page.on("request", lambda request: seat.asked.append(request.url))
        page.goto(self.link)
        page.wait_for_url(seat.home)
        page.goto(seat.url + where)
        return seat


@pytest.fixture(name="chair")
def table_in_a_browser(bus: Bus, chrome: Any) -> Iterator[Chair]:
    """A table worth looking at, served; every profile is closed afterwards."""
    laid = showcase.lay(bus)
    with serving() as (_, url):
        try:
            yield Chair(chrome, laid, url)
        finally:
            for context in list(chrome.contexts):
                context.close()
