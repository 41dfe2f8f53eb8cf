"""Two workers of Ray beside one process, and memory: `python -m tests.bench.batches INPUT`.

Runs alternate, since other work on the machine comes and goes; start-up is left out of documents a
second, and told apart. Documents a second of processor time hardly depend on that other work. With `--rows`, generated titles are suggested for by a tiny model, and the
memory of all processes together is watched.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.settings import PROJECT_ROOT
from tests.support.batch_runs import write_rows
from tests.support.models.tiny_bundle import write_tiny_bundle

ENGINES = {
    "one process": [],
    "two workers": ["--engine", "ray", "--workers", "2"],
}


def main() -> int:
    """Print a table; 1 where the outputs differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.batches", description=__doc__)
    parser.add_argument("input", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part-documents", default="128")
    parser.add_argument("--rows", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.rows:
            return watch_memory(Path(folder), options.rows)
        return compare(Path(folder), options)


def compare(folder: Path, options: argparse.Namespace) -> int:
    """Run both engines in turns over the same input."""
    reports: dict[str, list[dict[str, float]]] = {name: [] for name in ENGINES}
    texts = set()
    for _ in range(options.rounds):
        for name, more in ENGINES.items():
            output = folder / "out"
            words = ["--input", options.input, "--part-documents", options.part_documents, *more]
            run(words, output).communicate()
            reports[name].append(json.loads((output / "report.json").read_text()))
            texts.add(b"".join(p.read_bytes() for p in sorted(output.glob("part-*"))))
            shutil.rmtree(output)
    rates = {name: [rate(report) for report in of_name] for name, of_name in reports.items()}
    for name, of_name in rates.items():
        start_up = statistics.median(report["start_up_seconds"] for report in reports[name])
        said = ", ".join(f"{one:.1f}" for one in of_name)
        sys.stdout.write(f"{name}: {said} documents/s; start-up {start_up:.1f} s\n")
        computed = [
            r["documents_of_this_run"] / r["processor_seconds_of_this_run"] for r in reports[name]
        ]
        said = ", ".join(f"{one:.1f}" for one in computed)
        sys.stdout.write(f"  documents a second of one processor: {said}\n")
    one, two = (statistics.median(of_name) for of_name in rates.values())
    sys.stdout.write(f"two workers reach {two / one:.2f} of one process; load {os.getloadavg()}\n")
    sys.stdout.write(f"outputs: {'the same' if len(texts) == 1 else 'DIFFERENT'}\n")
    return 0 if len(texts) == 1 else 1


def watch_memory(folder: Path, rows: int) -> int:
    """Suggest for generated rows by a tiny model, and watch the memory of all processes."""
    write_tiny_bundle(folder / "bundle")
    source = write_rows(folder / "in.jsonl", rows)
    for name, more in ENGINES.items():
        output = folder / name.replace(" ", "-")
        words = ["--input", source, "--bundle", folder / "bundle", *more]
        process = run(words, output)
        peaks: dict[int, float] = {}
        while process.poll() is None:
            done = len(list(output.glob("marks/*")))
            tenth = done * 1024 * 10 // max(rows, 1)
            peaks[tenth] = max(peaks.get(tenth, 0.0), megabytes(process.pid))
            time.sleep(1.0)
        report = json.loads((output / "report.json").read_text())
        said = ", ".join(f"{peak:,.0f}" for _, peak in sorted(peaks.items()))
        sys.stdout.write(f"{name}: {report}\n  MB at most in each tenth: {said}\n")
    return 0


def run(words: list[object], output: Path) -> subprocess.Popen[bytes]:
    """Start a run."""
    command = [sys.executable, "-m", "core", "suggest", *words, "--output", f"{output}/"]
    return subprocess.Popen(list(map(str, command)), cwd=PROJECT_ROOT)


def rate(report: dict[str, float]) -> float:
    """Documents a second, start-up left out."""
    return report["documents_of_this_run"] / report["seconds_of_this_run"]


def megabytes(pid: int) -> float:
    """Private memory of a process and of all that it has started, in MB."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found = {pid}
    for _ in range(4):  # as deep as they stand
        found |= {child for child, parent in parents if parent in found}
    return sum(map(_private, found)) / 1e6


def _private(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0.0
    kilobytes = [line.split()[1] for line in lines if line.startswith("Private_")]
    return 1024.0 * sum(map(int, kilobytes))


if __name__ == "__main__":
    sys.exit(main())
