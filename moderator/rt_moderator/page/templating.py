"""The templates: strict about what is missing, everything escaped that is not marked as made by us."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

HERE = Path(__file__).parent
STATIC = HERE / "static"


def render(template: str, **values: Any) -> str:
    """A whole template."""
    return environment().get_template(template).render(**values)


def part(name: str, *args: Any) -> Markup:
    """One macro of parts.html."""
    return Markup(getattr(_parts(), name)(*args))  # noqa: S704 (the template escapes)


@cache
def environment() -> jinja2.Environment:
    """The environment of all templates."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def _parts() -> Any:
    return environment().get_template("parts.html").module
