"""What is written of a document, in JSON Lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from io import TextIOWrapper
from itertools import islice
from typing import IO, Any, Literal

from core.documents.inputs import InputDocument
from core.documents.rows.spreadsheet_cells import text_cell
from core.suggest.suggestions import Prediction, Suggestion

DIGITS = 6
ROWS_IN_A_GROUP = 512

Result = dict[str, Any]
"""`id`, and `suggestions` with the fields of `COLUMNS`, best first."""

COLUMNS = ("rank", "concept_id", "uri", "notation", "pref_label", "probability", "source")


def result_of(item: InputDocument, prediction: Prediction) -> Result:
    """Return what is written of a document."""
    suggestions = [_fields(suggestion) for suggestion in prediction.suggestions]
    return {"id": item.given_id, "suggestions": suggestions}


def _fields(suggestion: Suggestion) -> dict[str, object]:
    return {
        "concept_id": suggestion.concept_id,
        "uri": suggestion.uri,
        "notation": suggestion.notation,
        "pref_label": suggestion.pref_label,
        "probability": round(suggestion.probability, DIGITS),
        "rank": suggestion.rank,
        "source": suggestion.source,
    }


def json_line(row: Mapping[str, object]) -> str:
    """Return one line of JSON Lines."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


WriteResults = Callable[[Iterable[Result], IO[bytes]], None]


def write_json_lines(results: Iterable[Result], file: IO[bytes]) -> None:
    """Write a line a document."""
    for result in results:
        file.write(json_line(result).encode())


def write_csv(results: Iterable[Result], file: IO[bytes]) -> None:
    """Write a row a suggestion; a document without any has one row, with its id alone.

    Text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    text = TextIOWrapper(file, "utf-8", newline="")  # type: ignore[arg-type, type-var, unused-ignore]
    rows = csv.DictWriter(text, ("id", *COLUMNS), lineterminator="\n")
    rows.writeheader()
    for result in results:
        for suggestion in result["suggestions"] or [{}]:
            cells = {"id": result["id"], **suggestion}
            rows.writerow({n: text_cell(c) if isinstance(c, str) else c for n, c in cells.items()})
    text.detach()


def write_parquet(results: Iterable[Result], file: IO[bytes]) -> None:
    """Write a row a document: its id as text, and a list of suggestions.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = {name: pa.string() for name in COLUMNS}
    types = text | {"rank": pa.int32(), "probability": pa.float64()}
    suggestion = pa.struct([pa.field(name, types[name]) for name in COLUMNS])
    schema = pa.schema([("id", pa.string()), ("suggestions", pa.list_(suggestion))])
    waiting = ({**result, "id": str(result["id"])} for result in results)
    with pq.ParquetWriter(file, schema) as table:
        while group := list(islice(waiting, ROWS_IN_A_GROUP)):
            table.write_batch(pa.RecordBatch.from_pylist(group, schema=schema))


ResultFormat = Literal["jsonl", "csv", "parquet"]
RESULT_FORMATS: Mapping[ResultFormat, WriteResults] = {
    "jsonl": write_json_lines,
    "csv": write_csv,
    "parquet": write_parquet,
}
"""Name, and ending of a part's file -> writer."""
