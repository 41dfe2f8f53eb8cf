"""Where the files of the program itself lie."""

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parent.parent
