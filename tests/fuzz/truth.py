"""What the numbers of a few rows are, counted one by one in plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction


def of_scores(
    target: Sequence[bool], score: Sequence[float], weight: Sequence[float], threshold: float
) -> dict[str, float]:
    """AUC by all pairs, and the shares at a threshold; what has no denominator is left out."""
    rows = [(y, s, w) for y, s, w in zip(target, score, weight, strict=True) if w > 0]
    pairs = ties = 0.0
    for y, s, w in rows:
        for z, r, v in rows:
            if y and not z:
                pairs += w * v
                ties += w * v * (1.0 if s > r else 0.5 if s == r else 0.0)
    out = {"auc": ties / pairs} if pairs else {}
    return out | of_labels([y for y, _, _ in rows], [s >= threshold for _, s, _ in rows], [w for _, _, w in rows])


def of_labels(target: Sequence[bool], guess: Sequence[bool], weight: Sequence[float]) -> dict[str, float]:
    """Shares of a table of two by two."""
    cells: dict[tuple[bool, bool], float] = dict.fromkeys([(a, b) for a in (False, True) for b in (False, True)], 0.0)
    for y, g, w in zip(target, guess, weight, strict=True):
        cells[bool(y), bool(g)] += w
    tp, fn, fp, tn = cells[True, True], cells[True, False], cells[False, True], cells[False, False]
    shares = {
        "accuracy": (tp + tn, tp + tn + fp + fn),
        "recall": (tp, tp + fn),
        "specificity": (tn, tn + fp),
        "precision": (tp, tp + fp),
        "prevalence": (tp + fn, tp + tn + fp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
    }
    return {name: part / whole for name, (part, whole) in shares.items() if whole > 0}


def of_numbers(target: Sequence[float], guess: Sequence[float]) -> dict[str, float]:
    """Errors of numbers, exactly by fractions."""
    gaps = [Fraction(y) - Fraction(g) for y, g in zip(target, guess, strict=True)]
    n = len(gaps)
    mean_square = sum((d * d for d in gaps), Fraction(0)) / n
    # The root of a fraction that may be too large or too small for a float.
    power = _magnitude(mean_square)
    root = math.sqrt(float(mean_square / Fraction(4) ** power)) if mean_square else 0.0
    return {
        "mae": float(sum((abs(d) for d in gaps), Fraction(0)) / n),
        "rmse": math.ldexp(root, power),
        "bias": float(-sum(gaps, Fraction(0)) / n),
    }


def _magnitude(x: Fraction) -> int:
    """K such that x / 4^k is between about 1/4 and 4."""
    return (x.numerator.bit_length() - x.denominator.bit_length()) // 2 if x else 0


def disagreements(found: Mapping[str, float | None], truth: Mapping[str, float]) -> list[str]:
    """Numbers that are not those counted by hand."""
    out = []
    for name, right in truth.items():
        told = found.get(name)
        if told is None or not math.isclose(
            told, right, rel_tol=1e-9, abs_tol=1e-300 if abs(right) < 1e-200 else 1e-12 * abs(right)
        ):
            out.append(f"{name} is {told!r} and should be {right!r}")
    return out
