"""Questions about scores: ranking, curves, probabilities, and the intervals of all of them."""

from __future__ import annotations

from typing import Any

import brute
import numpy as np
import samples
from book import BRUTE, SCIPY, Book, weightings
from scipy.stats import binomtest, ks_2samp, somersd
from sklearn import metrics

MCCLISH = "scikit-learn standardises after McClish; turned back into the plain area under the curve up to this rate"
DELONG = "DeLong's variances over all pairs, of positives and of negatives"
INFLUENCE = "spread of the rows' influence on r, Fisher's scale; the library differentiates numerically, hence 1e-8"


def scores() -> Book:
    """Ranking measures, the two curves, and labels cut from the score at a threshold."""
    book = Book("scores", samples.scores())
    for name, columns in book.data.items():
        call: dict[str, Any] = {"target": "y", "score": "p"}
        if name == "named":
            call["positive"] = "bad"
        for asked, c, w in weightings(columns, call):
            y = (c["y"] == "bad" if name == "named" else c["y"]).astype(int)
            _ranking(book, name, asked, y, c["p"], w)
            if name in ("fine", "tied"):
                _curves(book, name, asked, y, c["p"], w)
            if name in ("fine", "rare", "margin"):
                _cut(book, name, asked, y, c["p"], w)
    _depths(book)
    return book


def _ranking(book: Book, name: str, call: dict[str, Any], y: np.ndarray, p: np.ndarray, w: Any) -> None:
    area = metrics.roc_auc_score(y, p, sample_weight=w)
    book.add(name, call, "auc", area)
    book.add(name, call, "average_precision", metrics.average_precision_score(y, p, sample_weight=w))
    for top in (0.1, 0.5):
        standard = metrics.roc_auc_score(y, p, max_fpr=top, sample_weight=w)
        least, most = top * top / 2, top
        plain = (2 * standard - 1) * (most - least) + least
        book.add(name, call, "partial_auc", plain, options={"fpr": top}, note=MCCLISH)
    fpr, tpr, _ = metrics.roc_curve(y, p, drop_intermediate=False, sample_weight=w)
    if w is not None:
        book.add(name, call, "gini", 2 * area - 1)
        book.add(name, call, "ks", np.abs(tpr - fpr).max())
        return
    book.add(name, call, "gini", somersd(y, p).statistic, SCIPY)
    book.add(name, call, "ks", ks_2samp(p[y == 1], p[y == 0]).statistic, SCIPY)
    book.add(name, call, "l_quality", brute.l_quality(y.tolist(), p.tolist()), BRUTE)
    book.add(name, call, "auc", brute.auc(p[y == 1].tolist(), p[y == 0].tolist()), BRUTE)


def _curves(book: Book, name: str, call: dict[str, Any], y: np.ndarray, p: np.ndarray, w: Any) -> None:
    """Both curves in decreasing threshold; scikit-learn's last point of the second has no threshold and is left off."""
    fpr, tpr, cuts = metrics.roc_curve(y, p, drop_intermediate=False, sample_weight=w)
    book.add(name, call, "roc", {"threshold": cuts, "fpr": fpr, "tpr": tpr}, part="curve")
    precision, recall, cuts = metrics.precision_recall_curve(y, p, sample_weight=w)
    points = {"threshold": cuts[::-1], "recall": recall[:-1][::-1], "precision": precision[:-1][::-1]}
    book.add(name, call, "pr", points, part="curve")


def _cut(book: Book, name: str, call: dict[str, Any], y: np.ndarray, p: np.ndarray, w: Any) -> None:
    """Labels at the usual threshold and at a score that occurs, where >= and > differ."""
    for threshold in (0.5, float(np.sort(p)[len(p) // 2])):
        g = (p >= threshold).astype(int)
        asked = call | {"threshold": threshold}
        book.add(name, asked, "recall", metrics.recall_score(y, g, sample_weight=w))
        book.add(name, asked, "precision", metrics.precision_score(y, g, sample_weight=w))
        book.add(name, asked, "accuracy", metrics.accuracy_score(y, g, sample_weight=w))
        book.add(name, asked, "mcc", metrics.matthews_corrcoef(y, g, sample_weight=w))


def _depths(book: Book) -> None:
    """Share of positives reached in the first rows by score, and the lift over random."""
    call = {"target": "y", "score": "p"}
    y, p = book.data["fine"]["y"], book.data["fine"]["p"]
    for depth in (0.1, 0.2, 0.5):
        reached = brute.capture(y, p, depth)
        book.add("fine", call, "capture", reached, BRUTE, options={"depth": depth})
        book.add("fine", call, "lift", reached / depth, BRUTE, options={"depth": depth})


def calibration() -> Book:
    """Losses of probabilities, their parts, and (from statsmodels) the logistic recalibration."""
    book = Book("calibration", samples.probabilities())
    call: dict[str, Any] = {"target": "y", "score": "p"}
    for name, columns in book.data.items():
        for asked, c, w in weightings(columns, call):
            book.add(name, asked, "brier", metrics.brier_score_loss(c["y"], c["p"], sample_weight=w))
            book.add(name, asked, "log_loss", metrics.log_loss(c["y"], c["p"], sample_weight=w))
        for bins in {"coarse": (10,), "fair": (7,), "bold": (10,)}.get(name, ()):
            parts = brute.brier_parts(columns["y"], columns["p"], bins)
            for part, answer in zip(("brier_reliability", "brier_resolution", "brier_uncertainty"), parts, strict=True):
                options = {} if part == "brier_uncertainty" else {"bins": bins}
                book.add(name, call, part, answer, BRUTE, options=options, note="Murphy, bins of equal width")
    for name, bins in (("fair", 7), ("bold", 10)):
        answer = brute.ece(book.data[name]["y"], book.data[name]["p"], bins)
        book.add(name, call, "ece", answer, BRUTE, options={"bins": bins}, note="bins of equal width")
    return book


def intervals() -> Book:
    """Intervals of shares, DeLong standard errors, effective sizes."""
    tables = {f"labels_{k}": v for k, v in samples.labels().items()}
    tables |= {f"scores_{k}": v for k, v in samples.scores().items()}
    tables |= {f"numbers_{k}": v for k, v in samples.continuous().items()}
    clean = [1] * 12 + [0] * 18
    tables["clean"] = {"y": clean, "g": clean}
    book = Book("intervals", tables)
    for name, positive in (("labels_mail", "spam"), ("labels_coin", 1), ("labels_rare", "leaves"), ("clean", 1)):
        call = {"target": "y", "prediction": "g", "positive": positive}
        for asked, c, w in weightings(tables[name], call):
            if w is None:
                _shares(book, name, asked, c["y"] == positive, c["g"] == positive)
    for name in ("scores_fine", "scores_tied", "scores_rare", "scores_worse"):
        for asked, c, w in weightings(tables[name], {"target": "y", "score": "p"}):
            if w is None:
                area = brute.delong(c["p"][c["y"] == 1].tolist(), c["p"][c["y"] == 0].tolist())
                spread = [area.from_positives, area.from_negatives]
                book.add(name, asked, "auc", spread, BRUTE, part="delong", note=DELONG)
    weighted = {"target": "y", "prediction": "g", "weight": "w", "weights": "sampling", "positive": "spam"}
    mail = tables["labels_mail"]
    size = brute.weighted_share_rows([a == b for a, b in zip(mail["y"], mail["g"])], mail["w"])
    book.add(
        "labels_mail", weighted, "accuracy", size, BRUTE, part="n_eff", note="rows of equal weight with the same spread"
    )
    return book


def shares(y: np.ndarray, g: np.ndarray) -> dict[str, tuple[int, int]]:
    """Each share as its two counts."""
    right = y == g
    return {
        "accuracy": (int(right.sum()), len(y)),
        "error_rate": (int((~right).sum()), len(y)),
        "recall": (int((y & g).sum()), int(y.sum())),
        "specificity": (int((~y & ~g).sum()), int((~y).sum())),
        "fpr": (int((~y & g).sum()), int((~y).sum())),
        "fnr": (int((y & ~g).sum()), int(y.sum())),
        "precision": (int((y & g).sum()), int(g.sum())),
        "npv": (int((~y & ~g).sum()), int((~g).sum())),
        "prevalence": (int(y.sum()), len(y)),
        "predicted_positive_rate": (int(g.sum()), len(y)),
    }


def _shares(book: Book, name: str, call: dict[str, Any], y: np.ndarray, g: np.ndarray) -> None:
    for measure, (part, whole) in shares(y, g).items():
        for confidence in (0.95,) if measure != "accuracy" else (0.9, 0.95, 0.99):
            if whole > 50 and 0 < min(part, whole - part) <= 3:
                continue  # one end is a Poisson limit there, and no other program mixes the two
            kind = "exact" if whole <= 5 else "wilson"
            limits = binomtest(part, whole).proportion_ci(confidence, method=kind)
            asked = call | {"confidence": confidence}
            book.add(name, asked, measure, [limits.low, limits.high], SCIPY, part="interval", note=kind.capitalize())
