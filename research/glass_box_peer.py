"""``PYTHON_OF_INTERPRET research/glass_box_peer.py FOLDER``: interpret's EBM on the splits that ``glass_box`` wrote.

It imports nothing of this project, so that it runs in an environment of its own. A split that has a score is left out.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor


def main(folder: Path) -> None:
    warnings.simplefilter("ignore")
    for about in sorted(folder.glob("*.json")):
        split = json.loads(about.read_text())
        score = about.with_suffix(".peer")
        if score.exists():
            continue
        frame = pd.read_csv(about.with_suffix(".csv"), dtype=dict.fromkeys(split["nominal"], str))
        y = frame.pop("target").to_numpy()
        kinds = ["nominal" if name in split["nominal"] else "continuous" for name in frame]
        n = split["train"]
        kind = ExplainableBoostingClassifier if split["classes"] else ExplainableBoostingRegressor
        model = kind(feature_types=kinds, random_state=0, n_jobs=1)
        start = time.process_time()
        model.fit(frame[:n], y[:n])
        seconds = time.process_time() - start
        if split["classes"]:
            p = np.clip(model.predict_proba(frame[n:]), 1e-15, 1.0)
            loss = -np.log(p[np.arange(len(p)), np.searchsorted(model.classes_, y[n:])]).mean()
        else:
            loss = np.sqrt(np.mean((model.predict(frame[n:]) - y[n:]) ** 2))
        score.write_text(json.dumps({"loss": float(loss), "seconds": seconds}))
        print(about.stem, f"{loss:.4f}", f"{seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
