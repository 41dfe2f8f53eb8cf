"""Count test functions and assertions: `python -m tests.support.count [FOLDER]`.

What pytest makes of them, with all their parameters, `pytest --collect-only -q | tail -1` says.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path


def count(folder: Path) -> Counter[str]:
    """Return the numbers of files, tests, `assert` statements and expected errors in a folder."""
    found: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        found["files"] += path.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            found["tests"] += isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            found["assertions"] += isinstance(node, ast.Assert)
            found["expected errors"] += (
                isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.raises"
            )
    return found


if __name__ == "__main__":
    counted = count(Path(sys.argv[1] if len(sys.argv) > 1 else "tests"))
    sys.stdout.write("".join(f"{number:6} {name}\n" for name, number in counted.items()))
