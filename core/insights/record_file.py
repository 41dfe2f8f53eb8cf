"""The JSON files of this package: one record each, with the name of its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from core.boundaries import BUNDLE_FILES, BUNDLE_RECORDS
from core.errors import BundleError

Read = TypeVar("Read")


def write_record(path: Path, format_name: str, record: Mapping[str, Any]) -> None:
    """Write the file, and its folder where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"format": format_name, **record}
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def read_record(
    path: Path, format_name: str, parse: Callable[[Mapping[str, Any]], Read], *, damaged: str
) -> Read:
    """Read what `write_record` wrote.

    Args:
        damaged: what to say of a file that is none of this format; `{reason}` stands for why.
    Raises:
        BundleError: the file is missing, damaged or of another format.
    """
    with (
        BUNDLE_FILES.translated("{path} cannot be read: {reason}.", path=path),
        BUNDLE_RECORDS.translated(f"{{path}} {damaged}", path=path),
    ):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != format_name:
            raise BundleError(f"{path} is of the format {record['format']}, not {format_name}.")
        return parse(record)
