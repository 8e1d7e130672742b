"""``python -m research.study_start FILE TARGET``: the seconds to a study's first results, as JSON.

Wall time since the process began and CPU time of this process, to the first line of the leaderboard and to the first
model that has learnt; ``python -m research.study --first-line`` runs it.
"""

import json
import os
import sys
import time
from pathlib import Path

started = (
    time.time()
    - time.clock_gettime(time.CLOCK_BOOTTIME)
    + float(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
)

import probus  # noqa: E402


class EnoughError(Exception):
    """What was to be measured is."""


def main() -> None:
    found: dict[str, tuple[float, float]] = {}

    def progress(done: int, total: int, name: str) -> None:
        if done:
            found.setdefault("line", (time.time() - started, time.process_time()))
        if done > 1:
            found.setdefault("model", (time.time() - started, time.process_time()))
            raise EnoughError

    file, target = sys.argv[1:]
    table = probus.read(file)
    try:
        probus.study(table, target=target, time=20, allow_leaks=True, progress=progress)
    except EnoughError:
        print(json.dumps({"rows": len(table), **found}))


if __name__ == "__main__":
    main()
