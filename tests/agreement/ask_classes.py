"""Questions about labels: binary and with many levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import samples
from book import BRUTE, SCIPY, SKLEARN, Book, weightings
from brute import hand_till
from scipy.stats import hmean
from sklearn import metrics

POSITIVE = {"mail": "spam", "flag": True, "coin": 1, "rare": "leaves"}
MATRICES: list[tuple[list[list[int]], list[str], str]] = [
    ([[6, 3], [2, 9]], ["spam", "ham"], "spam"),
    ([[113, 8], [87, 409]], ["yes", "no"], "yes"),
]


def _binary_answers(y: np.ndarray, g: np.ndarray, w: Any, positive: Any) -> dict[str, float]:
    """Every label measure scikit-learn has an answer for, under our names."""
    negative = next(v for v in np.unique(y).tolist() if v != positive)
    up: dict[str, Any] = {"pos_label": positive, "sample_weight": w}
    down: dict[str, Any] = {"pos_label": negative, "sample_weight": w}
    plus, minus = metrics.class_likelihood_ratios(y, g, labels=[negative, positive], sample_weight=w)
    return {
        "accuracy": metrics.accuracy_score(y, g, sample_weight=w),
        "error_rate": metrics.zero_one_loss(y, g, sample_weight=w),
        "recall": metrics.recall_score(y, g, **up),
        "specificity": metrics.recall_score(y, g, **down),
        "fpr": 1 - metrics.recall_score(y, g, **down),
        "fnr": 1 - metrics.recall_score(y, g, **up),
        "precision": metrics.precision_score(y, g, **up),
        "npv": metrics.precision_score(y, g, **down),
        "f1": metrics.f1_score(y, g, **up),
        "average_class_accuracy": metrics.balanced_accuracy_score(y, g, sample_weight=w),
        "youden": metrics.balanced_accuracy_score(y, g, sample_weight=w, adjusted=True),
        "kappa": metrics.cohen_kappa_score(y, g, sample_weight=w),
        "mcc": metrics.matthews_corrcoef(y, g, sample_weight=w),
        "lr_positive": plus,
        "lr_negative": minus,
        "prevalence": np.average(y == positive, weights=w),
        "predicted_positive_rate": np.average(g == positive, weights=w),
    }


def labels() -> Book:
    """Binary labels in three types, with and without weights, and from a counted matrix."""
    book = Book("labels", samples.labels())
    for name, columns in book.data.items():
        positive = POSITIVE[name]
        call: dict[str, Any] = {"target": "y", "prediction": "g"}
        if isinstance(positive, str):
            call["positive"] = positive
        for asked, c, w in weightings(columns, call):
            y, g = c["y"], c["g"]
            for measure, expected in _binary_answers(y, g, w, positive).items():
                book.add(name, asked, measure, expected)
            for beta in (0.5, 2):
                answer = metrics.fbeta_score(y, g, beta=beta, pos_label=positive, sample_weight=w)
                book.add(name, asked, "f_beta", answer, options={"beta": beta})
            recalls = metrics.recall_score(y, g, average=None, sample_weight=w)
            book.add(name, asked, "average_class_accuracy_hm", hmean(recalls), SCIPY)
            if w is None:
                _reweighted(book, name, asked, y == positive, g == positive)
    for counts, levels, positive in MATRICES:
        y = np.repeat([levels[0], levels[0], levels[1], levels[1]], np.ravel(counts))
        g = np.repeat([levels[0], levels[1], levels[0], levels[1]], np.ravel(counts))
        matrix = {"confusion": counts, "levels": levels, "positive": positive}
        for measure, expected in _binary_answers(y, g, None, positive).items():
            book.add(None, matrix, measure, expected)
    return book


def _reweighted(book: Book, name: str, call: dict[str, Any], y: np.ndarray, g: np.ndarray) -> None:
    """Measures that are another one under other weights: scikit-learn is given rows weighted by class or cell."""
    for share in (0.01, 0.3):
        by_class = np.where(y, share / y.mean(), (1 - share) / (1 - y.mean()))
        answer = metrics.precision_score(y, g, sample_weight=by_class)
        book.add(name, call, "precision_at_prevalence", answer, options={"prevalence": share})
        answer = metrics.precision_score(~y, ~g, sample_weight=by_class)
        book.add(name, call, "npv_at_prevalence", answer, options={"prevalence": share})
    for cells in ((2, 1, 1, 0), (1, 5, 2, 1)):
        by_cell = np.select([y & g, y & ~g, ~y & g], cells[:3], cells[3])
        answer = metrics.accuracy_score(y, g, sample_weight=by_cell)
        book.add(name, call, "weighted_accuracy", answer, options={"weights": list(cells)})


def multiclass() -> Book:
    """Three to seven levels: per level, averaged, ordered kappas, and scores per level."""
    book = Book("multiclass", samples.multiclass())
    for name in ("three", "four", "five", "seven"):
        call: dict[str, Any] = {"target": "y", "prediction": "g"}
        if name == "five":
            call["kind"] = "labels"
        for asked, c, w in weightings(book.data[name], call):
            _many_labels(book, name, asked, c["y"], c["g"], w)
    for name in ("iris", "zoo"):
        names = [c.removeprefix("p_") for c in book.data[name] if c.startswith("p_")]
        scored = {"target": "y", "score": {level: f"p_{level}" for level in names}}
        for asked, c, w in weightings(book.data[name], scored):
            _many_scores(book, name, asked, c, names, w)
    return book


def _many_labels(book: Book, name: str, call: dict[str, Any], y: np.ndarray, g: np.ndarray, w: Any) -> None:
    book.add(name, call, "accuracy", metrics.accuracy_score(y, g, sample_weight=w))
    book.add(name, call, "average_class_accuracy", metrics.balanced_accuracy_score(y, g, sample_weight=w))
    book.add(name, call, "mcc", metrics.matthews_corrcoef(y, g, sample_weight=w))
    for measure, ordered in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        book.add(name, call, measure, metrics.cohen_kappa_score(y, g, weights=ordered, sample_weight=w))
    levels = np.unique(y).tolist()
    for measure, ask in (
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("f1", metrics.f1_score),
    ):
        for average in ("macro", "micro", "weighted"):
            book.add(name, call, measure, ask(y, g, average=average, sample_weight=w), level=average)
        for level, answer in zip(levels, ask(y, g, average=None, labels=levels, sample_weight=w), strict=True):
            book.add(name, call, measure, answer, level=level)
    answers = metrics.multilabel_confusion_matrix(y, g, labels=levels, sample_weight=w)
    for level, ((tn, fp), (fn, _)) in zip(levels[:2], answers[:2], strict=True):
        book.add(name, call, "specificity", tn / (tn + fp), level=level)
        book.add(name, call, "npv", tn / (tn + fn), level=level)
    answer = metrics.fbeta_score(y, g, beta=2, average="macro", sample_weight=w)
    book.add(name, call, "f_beta", answer, options={"beta": 2}, level="macro")


def _many_scores(
    book: Book, name: str, call: dict[str, Any], c: dict[str, np.ndarray], names: list[str], w: Any
) -> None:
    y, p = c["y"], np.column_stack([c[f"p_{level}"] for level in names])
    book.add(name, call, "log_loss", metrics.log_loss(y, p, labels=names, sample_weight=w))
    guess = np.array(names)[p.argmax(axis=1)]
    book.add(name, call, "accuracy", metrics.accuracy_score(y, guess, sample_weight=w))
    for k in (1, 2) if len(names) == 3 else (1, 2, 3, 5):
        answer = metrics.top_k_accuracy_score(y, p, k=k, labels=names, sample_weight=w)
        book.add(name, call, "top_k_accuracy", answer, options={"k": k})
    for j, level in enumerate(names[:3]):
        book.add(name, call, "auc", metrics.roc_auc_score(y == level, p[:, j], sample_weight=w), level=level)
    for average in ("macro", "weighted"):
        answer = metrics.roc_auc_score(y, p, multi_class="ovr", average=average, labels=names, sample_weight=w)
        book.add(name, call, "auc", answer, level=average)
    if w is None:  # scikit-learn takes no weights for pairs of levels
        answer = metrics.roc_auc_score(y, p, multi_class="ovo", average="macro", labels=names)
        book.add(name, call, "hand_till_auc", answer, SKLEARN)
        book.add(name, call, "hand_till_auc", hand_till(y.tolist(), dict(zip(names, p.T.tolist(), strict=True))), BRUTE)
