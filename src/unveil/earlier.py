"""Release files of formats before the present one, which held a mean operator as text (JSON)."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unveil.errors import UnveilError, is_real, is_whole, require

FORMAT = "unveil mean operator 2"
#: The first format did not say where the noise came from.
_FIRST = "unveil mean operator 1"
_NAMES = {"value", "records", "noise", "scale", "claimed_epsilon", "true_epsilon", "features", "randomness"}
#: How far into such a file its format stands.
_HEAD = 100


def is_earlier(path: str | Path) -> bool:
    """Whether the file says that it is of such a format."""
    try:
        with Path(path).open("rb") as file:
            return b'"format": "unveil mean operator ' in file.read(_HEAD)
    except OSError:
        return False


def text_of(content: Mapping[str, Any]) -> str:
    """The file with these entries."""
    signed = {"format": FORMAT, **content}
    return json.dumps({**signed, "sha256": _checksum(signed)}, indent=1) + "\n"


def read(path: str | Path) -> dict[str, Any]:
    """The entries of a file; anything but an intact one is an error."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UnveilError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnveilError(f"{path} is no whole release file (truncated?): {error}") from error
    require(isinstance(content, dict) and "sha256" in content, f"{path} is no release file: it has no checksum")
    expected = content.pop("sha256")
    require(_checksum(content) == expected, f"{path} was altered: its checksum does not match its content")
    kind = content.pop("format", None)
    require(kind in (FORMAT, _FIRST), f"{path} is no release file of the format {FORMAT!r}")
    names = _NAMES - ({"randomness"} if kind == _FIRST else set())
    require(set(content) == names, f"{path} must hold exactly {', '.join(sorted(names))}")
    _require_fields(content, path)
    return {"randomness": "unknown", **content, "value": _numbers(content["value"], path)}


def _numbers(values: Any, path: str | Path) -> tuple[float, ...]:
    ok = isinstance(values, list) and values and all(_is_number(v) for v in values)
    require(ok, f"{path} must hold finite numbers as its value")
    return tuple(map(float, values))


def _is_number(value: Any) -> bool:
    """A finite number that a double can hold."""
    return is_real(value) and abs(value) <= sys.float_info.max


def _require_fields(content: dict[str, Any], path: str | Path) -> None:
    """Whoever can write a file can write a right checksum, too: kinds and ranges are checked all the same."""
    records = content["records"]
    require(is_whole(records) and records >= 1, f"{path} must hold a positive whole number as its records")
    for name in ("scale", "claimed_epsilon", "true_epsilon"):
        require(_is_number(content[name]) and content[name] >= 0, f"{path} must hold a finite number as its {name}")
    for name in ("noise", "features", "randomness"):
        require(isinstance(content.get(name, ""), str), f"{path} must hold a text as its {name}")


def _checksum(content: dict[str, Any]) -> str:
    # json writes the shortest digits that read back as the same double, so the text stands for the exact numbers.
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
