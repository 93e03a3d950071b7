"""JSON that was asked for, in a reply: the shape to show, made of the model that reads it. Pure."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

_Model = TypeVar("_Model", bound=BaseModel)
_MOST_PROBLEMS = 5


def read(text: str, model: type[_Model]) -> _Model:
    """The first JSON object in `text` that `model` takes, fenced or not, whatever stands around it.

    Raises:
        ValueError: says what is wrong, for who wrote it.
    """
    problem = "there is no JSON object in it"
    for found in _objects(text):
        try:
            return model.model_validate(found)
        except ValidationError as exc:
            problem = "; ".join(_said(error) for error in exc.errors()[:_MOST_PROBLEMS])
    raise ValueError(problem)


def shape(model: type[BaseModel]) -> str:
    """An example of the object that `model` takes, with the descriptions of its fields as values."""
    schema = model.model_json_schema()
    return json.dumps(_example(schema, schema.get("$defs", {})), indent=1, ensure_ascii=False)


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, the outermost ones, in order; at most a few, so that no text is read for ever."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = text.find("{")
    tries = 0
    while at >= 0 and tries < 50:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found += [value] if isinstance(value, dict) else []
        at = text.find("{", end)
    return found


def _said(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "the object"
    return f"{where}: {error['msg']}"


def _example(schema: dict[str, Any], defs: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], defs)
    if schema.get("type") == "object":
        return {name: _example(field, defs) for name, field in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        items = dict(schema["items"])
        items.setdefault("description", schema.get("description", ""))
        return [_example(items, defs)]
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return schema.get("description") or schema.get("type", "")
