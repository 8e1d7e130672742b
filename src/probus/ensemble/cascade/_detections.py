"""Windows in which something was found, and which of them are the same thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Result, counted, figure


@dataclass(frozen=True, eq=False, repr=False)
class Detections(Result):
    """What was found in an image, the best first.

    Attributes
    ----------
    boxes : row and column of the first pixel, height and width, for each detection.
    scores : the highest score of the windows of each detection.
    windows : how many windows were merged into each.
    examined : the windows of the image.
    stumps : the mean number of stumps that were computed for a window.
    """

    boxes: np.ndarray
    scores: np.ndarray
    windows: np.ndarray
    examined: int
    stumps: float

    def __len__(self) -> int:
        return len(self.boxes)

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each detection."""
        return [
            {"row": row, "column": column, "height": height, "width": width, "score": score, "windows": windows}
            for (row, column, height, width), score, windows in zip(
                self.boxes.tolist(), self.scores.tolist(), self.windows.tolist(), strict=True
            )
        ]

    def _parts(self) -> list[Any]:
        head = (
            f"{counted(len(self), 'detection')} in {counted(self.examined, 'window')}, "
            f"of which one needed {self.stumps:.1f} stumps on average"
        )
        names = ["row", "column", "height", "width", "score", "windows"]
        rows = [[figure(float(row[name])) for name in names] for row in self._rows()]
        return [head, Cells([names, *rows], right=list(range(6)), most=20)] if rows else [head]


def merged(
    boxes: np.ndarray, scores: np.ndarray, overlap: float, fewest: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Groups of windows: the best one with all that overlap it, then the best of the rest, and so on.

    The overlap of two windows is the area of both over that of either. A group has its mean box, its highest score and
    its number of windows.
    """
    groups = []
    left = np.argsort(-scores, kind="stable")
    while len(left):
        near = overlaps(boxes[left[0]], boxes[left]) >= overlap
        near[0] = True
        groups.append(left[near])
        left = left[~near]
    kept = [group for group in groups if len(group) >= fewest]
    mean = np.array([boxes[group].mean(axis=0) for group in kept]).reshape(-1, 4)
    return mean, scores[[group[0] for group in kept]], np.array([len(group) for group in kept], dtype=np.int64)


def overlaps(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """The overlap of a box with each of others, from 0 to 1.

    >>> overlaps(np.array([0.0, 0, 2, 2]), np.array([[0.0, 0, 2, 2], [0, 1, 2, 2]])).round(2)
    array([1.  , 0.33])
    """
    down = np.minimum(box[0] + box[2], boxes[:, 0] + boxes[:, 2]) - np.maximum(box[0], boxes[:, 0])
    across = np.minimum(box[1] + box[3], boxes[:, 1] + boxes[:, 3]) - np.maximum(box[1], boxes[:, 1])
    both = np.clip(down, 0, None) * np.clip(across, 0, None)
    return both / (box[2] * box[3] + boxes[:, 2] * boxes[:, 3] - both)
