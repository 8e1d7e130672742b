"""``python -m research.pretraining [TEXTS EPOCHS SEEDS]``: pre-training on texts, then few labels.

A masked language model is trained on reviews of ``clothing_reviews`` (``PROBUS_BENCH_DATA``) without their labels. For
50, 100 and 200 reviews with labels (four or five stars, or fewer) the same transformer is trained with its weights
and with drawn ones; log loss and ROC AUC are those of 2,000 reviews that neither has seen. Naive Bayes and a logistic
regression on word counts are there for comparison. Sizes and step sizes were chosen by the score of held-out reviews in
pre-training, and on 1,500 reviews that are left out here; nothing was chosen on the reviews that judge.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES = {"width": 64, "depth": 1, "heads": 4, "max_length": 48, "n_pieces": 1200}
LABELS = (50, 100, 200)
JUDGED = 2000


def main(n_texts: int = 10_000, epochs: int = 20, seeds: int = 4) -> None:
    """Print a line for each number of labels: the mean over the seeds, and its standard error."""
    texts, stars = _reviews()
    order = np.random.default_rng(0).permutation(len(texts))
    pool, judged = order[JUDGED:-JUDGED], order[-JUDGED:]  # the first ones were looked at when sizes were chosen
    language = _language(texts[pool[:n_texts]].tolist(), epochs)
    print("labels  model              log loss          ROC AUC")
    for n_labels in LABELS:
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in range(10, 10 + seeds):
            rows = np.random.default_rng(seed).choice(pool, n_labels, replace=False)
            for name, model in _models(language, seed).items():
                model.fit(texts[rows].tolist(), stars[rows])
                shares = model.predict_proba(texts[judged].tolist())[:, 1]
                found.setdefault(name, []).append(_scores(stars[judged], shares))
        for name, scores in found.items():
            mean, error = np.mean(scores, axis=0), np.std(scores, axis=0, ddof=1) / np.sqrt(seeds)
            print(
                f"{n_labels:6}  {name:17}" + "".join(f"  {m:.3f} ± {e:.3f}  " for m, e in zip(mean, error, strict=True))
            )
            sys.stdout.flush()


def _reviews() -> tuple[np.ndarray, np.ndarray]:
    import polars as pl

    path = Path(os.environ["PROBUS_BENCH_DATA"]) / "clothing_reviews.parquet"
    frame = pl.read_parquet(path).filter(pl.col("Review Text").is_not_null())
    return frame["Review Text"].to_numpy().astype(object), (frame["Rating"] >= 4).to_numpy().astype(int)


def _language(texts: list[str], epochs: int) -> Any:
    from probus.neural_network import MaskedLanguageModel

    start = time.process_time()
    model = MaskedLanguageModel(
        **SIZES, mask_share=0.25, batch_size=32, learning_rate_init=5e-3, max_iter=epochs, random_state=0, n_jobs=1
    )
    model.fit(texts)
    history = model.history_
    print(
        f"pre-training: {len(texts):,} texts, {epochs} epochs, {time.process_time() - start:.0f} s of a core,", end=" "
    )
    print(f"score {history.validation[0]:.2f} → {history.validation.max():.2f}")
    return model


def _models(language: Any, seed: int) -> dict[str, Any]:
    from probus.linear_model import LogisticRegression
    from probus.naive_bayes import MultinomialNB
    from probus.neural_network import TransformerClassifier
    from probus.preprocessing import CountWords, TfidfWords

    plan: dict[str, Any] = {
        "max_iter": 20,
        "batch_size": 16,
        "early_stopping": False,
        "random_state": seed,
        "n_jobs": 1,
    }
    return {
        "drawn weights": TransformerClassifier(**SIZES, **plan),
        "pre-trained": TransformerClassifier(pretrained=language, **plan),
        "naive Bayes": CountWords() >> MultinomialNB(),
        "logistic, TF-IDF": TfidfWords() >> LogisticRegression(C=10.0),
    }


def _scores(y: np.ndarray, shares: np.ndarray) -> tuple[float, float]:
    from sklearn.metrics import log_loss, roc_auc_score

    return log_loss(y, np.clip(shares, 1e-6, 1 - 1e-6)), roc_auc_score(y, shares)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
