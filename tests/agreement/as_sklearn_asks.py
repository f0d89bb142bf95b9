"""How each function of scikit-learn's metrics is asked of steelyard: the same rows, the same options, or why it is missing."""

import numpy as np

import steelyard as sy


class Missing(Exception):
    """Something that was asked for and is not here."""


# How a call is put to steelyard ---------------------------------------------------------------------------------------


def column(values, what):
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise Missing(f"several {what} a row")
    return found.tolist()


def weighted(sample_weight):
    return {} if sample_weight is None else {"weight": np.asarray(sample_weight, dtype=float).ravel().tolist()}


def labels_of(y_true, y_pred, sample_weight=None, labels=None, positive=None):
    """An evaluation of labels, in the order of theirs."""
    truth, said = column(y_true, "labels"), column(y_pred, "labels")
    seen = {*truth, *said}
    if labels is not None and not seen <= set(np.asarray(labels).tolist()):
        raise Missing("`labels=` that leave some of the rows out")
    order = np.unique([*truth, *said]).tolist() if labels is None else np.asarray(labels).tolist()
    order = order if len(order) > 1 else [*order, f"not {order[0]}" if isinstance(order[0], str) else -99]
    chosen = positive if positive is not None and positive in order else order[-1]
    more = {"positive": chosen} if len(order) == 2 else {}
    return sy.evaluate(
        target=truth, prediction=said, levels=order, kind="labels", **more, **weighted(sample_weight)
    ), order


def numbers_of(y_true, y_pred, sample_weight=None):
    truth, said = column(y_true, "numbers"), column(y_pred, "numbers")
    return sy.evaluate(
        target=np.asarray(truth, float),
        prediction=np.asarray(said, float),
        kind="continuous",
        **weighted(sample_weight),
    )


def scores_of(y_true, y_score, sample_weight=None, pos_label=None, **more):
    truth, scores = column(y_true, "scores"), np.asarray(y_score)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    if scores.ndim != 1:
        raise Missing("several scores a row, one for each label that it may have")
    levels = np.unique(truth).tolist()
    if len(levels) != 2:
        raise Missing("targets of one class alone, or of more than there are scores for")
    positive = levels[-1] if pos_label is None else pos_label
    return sy.evaluate(target=truth, score=scores, positive=positive, **weighted(sample_weight), **more)


def classes_of(y_true, y_score, sample_weight=None, labels=None):
    """An evaluation of one score for each class, and the order of theirs."""
    truth, scores = column(y_true, "labels"), np.asarray(y_score)
    order = sorted(np.unique(truth).tolist() if labels is None else np.asarray(labels).tolist())
    columns = {level: scores[:, i] for i, level in enumerate(order)}
    return sy.evaluate(target=truth, score=columns, levels=order, **weighted(sample_weight)), order


def plain(measure, of, **options):
    def answer(y_true, y_pred, *, sample_weight=None, **given):
        unknown = {k: v for k, v in given.items() if not (k in {"multioutput"} or v is None)}
        if unknown:
            raise Missing(f"{', '.join(sorted(unknown))}=")
        return of(y_true, y_pred, sample_weight).measure(measure, **options)

    return answer


def by_level(measure):
    def answer(
        y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn", **given
    ):
        if average == "samples":
            raise Missing("several labels a row")
        e, order = labels_of(y_true, y_pred, sample_weight, labels, pos_label)
        if average == "binary":
            return e.measure(measure, pos_label, **given)
        if average is None:
            return [e.measure(measure, level, **given) for level in order]
        if (len(order) == 2 and average in {"macro", "micro", "weighted"}) or len(order) > 2:
            return e.measure(measure, average, **given)
        raise Missing(f"average={average}")

    return answer


def of_labels(measure):
    def answer(y_true, y_pred, *, normalize=True, sample_weight=None):
        found = labels_of(y_true, y_pred, sample_weight)[0].measure(measure)
        # A share of so many rows is so many rows.
        return found if normalize else found * (len(y_true) if sample_weight is None else np.sum(sample_weight))

    return answer


def kappa(y1, y2, *, labels=None, weights=None, sample_weight=None, **given):
    e, _ = labels_of(y1, y2, sample_weight, labels)
    return e.measure("kappa" if weights is None else f"kappa_{weights}")


def matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    if normalize is not None:
        raise Missing("a normalised matrix")
    if sample_weight is not None and float(np.sum(np.asarray(sample_weight, dtype=float))) > 2**62:
        raise Missing("weights that overflow there")
    if not len(y_true):
        raise Missing("a matrix of no rows at all")
    e, order = labels_of(y_true, y_pred, sample_weight, labels)
    found = e.confusion
    seen = order if labels is not None else np.unique([*column(y_true, ""), *column(y_pred, "")])
    place = [found.levels.index(level) for level in order]
    return np.asarray(found.counts)[np.ix_(place, place)][: len(seen), : len(seen)]


def auc(y_true, y_score, *, average="macro", sample_weight=None, max_fpr=None, multi_class="raise", labels=None):
    if max_fpr not in (None, 1, 1.0):
        raise Missing("`max_fpr=`, scaled as McClish does")
    if np.asarray(y_score).ndim == 2 and np.asarray(y_score).shape[1] > 2:
        _refuse((multi_class, average) == ("ovo", "weighted"), "pairs of classes weighted by their rows")
        e, order = classes_of(y_true, y_score, sample_weight, labels)
        if average is None:
            return [e.measure("auc", level) for level in order]
        return e.measure("auc", average) if multi_class == "ovr" else e.measure("hand_till_auc")
    return scores_of(y_true, y_score, sample_weight).measure("auc")


def precision_average(y_true, y_score, *, average="macro", pos_label=1, sample_weight=None):
    return scores_of(y_true, y_score, sample_weight, pos_label).measure("average_precision")


def top_k(y_true, y_score, *, k=2, normalize=True, sample_weight=None, labels=None):
    _refuse(not normalize, "`normalize=False`, the sum of a loss")
    _refuse(np.asarray(y_score).ndim != 2, "one score where several are meant")
    return classes_of(y_true, y_score, sample_weight, labels)[0].measure("top_k_accuracy", k=k)


def of_probabilities(measure):
    def answer(y_true, y_proba=None, *, sample_weight=None, labels=None, pos_label=None, normalize=True, **given):
        y_proba = given.get("y_pred") if y_proba is None else y_proba
        _refuse(not normalize, "`normalize=False`, the sum of a loss")
        _refuse(given.get("scale_by_half") is False, "`scale_by_half=False`")
        scores = np.asarray(y_proba)
        if scores.ndim == 2 and scores.shape[1] > 2:
            return classes_of(y_true, scores, sample_weight, labels)[0].measure(measure)
        if labels is not None and pos_label is None:
            pos_label = np.asarray(labels).tolist()[-1]
        return scores_of(y_true, scores, sample_weight, pos_label).measure(measure)

    return answer


def deviance(y_true, y_pred, *, sample_weight=None, power=0):
    names = {0: "mse", 1: "poisson_deviance", 2: "gamma_deviance"}
    if power in names:
        return numbers_of(y_true, y_pred, sample_weight).measure(names[power])
    if power != 1.5:
        raise Missing("a Tweedie deviance of another power than 0, 1, 1.5 and 2")
    return numbers_of(y_true, y_pred, sample_weight).measure("tweedie_deviance", power=1.5)


def pinball(y_true, y_pred, *, sample_weight=None, alpha=0.5, multioutput="uniform_average"):
    return numbers_of(y_true, y_pred, sample_weight).measure("pinball", quantile=alpha)


def r2(y_true, y_pred, *, sample_weight=None, multioutput=None, force_finite=True):
    return numbers_of(y_true, y_pred, sample_weight).measure("r2")


WAYS = {
    "accuracy_score": of_labels("accuracy"),
    "balanced_accuracy_score": lambda t, p, *, sample_weight=None, adjusted=False: (
        _refuse(adjusted, "`adjusted=True`") or labels_of(t, p, sample_weight)[0].measure("average_class_accuracy")
    ),
    "recall_score": by_level("recall"),
    "precision_score": by_level("precision"),
    "f1_score": by_level("f1"),
    "fbeta_score": lambda t, p, *, beta, **given: by_level("f_beta")(t, p, beta=beta, **given),
    "jaccard_score": by_level("jaccard"),
    "matthews_corrcoef": lambda t, p, *, sample_weight=None: labels_of(t, p, sample_weight)[0].measure("mcc"),
    "cohen_kappa_score": kappa,
    "confusion_matrix": matrix,
    "zero_one_loss": of_labels("error_rate"),
    "hamming_loss": of_labels("error_rate"),
    "roc_auc_score": auc,
    "average_precision_score": precision_average,
    "brier_score_loss": of_probabilities("brier"),
    "log_loss": of_probabilities("log_loss"),
    "d2_brier_score": of_probabilities("brier_skill"),
    "d2_log_loss_score": of_probabilities("log_loss_skill"),
    "top_k_accuracy_score": top_k,
    "mean_squared_error": plain("mse", numbers_of),
    "root_mean_squared_error": plain("rmse", numbers_of),
    "mean_absolute_error": plain("mae", numbers_of),
    "median_absolute_error": plain("median_ae", numbers_of),
    "max_error": plain("max_error", numbers_of),
    "mean_absolute_percentage_error": plain("mape", numbers_of),
    "mean_squared_log_error": plain("msle", numbers_of),
    "root_mean_squared_log_error": plain("rmsle", numbers_of),
    "explained_variance_score": lambda t, p, *, sample_weight=None, multioutput=None, force_finite=True: numbers_of(
        t, p, sample_weight
    ).measure("explained_variance"),
    "r2_score": r2,
    "mean_pinball_loss": pinball,
    "mean_tweedie_deviance": deviance,
    "mean_poisson_deviance": lambda t, p, *, sample_weight=None: deviance(t, p, sample_weight=sample_weight, power=1),
    "mean_gamma_deviance": lambda t, p, *, sample_weight=None: deviance(t, p, sample_weight=sample_weight, power=2),
}
"""What each function of scikit-learn is here."""


def _refuse(condition, reason):
    if condition:
        raise Missing(reason)


# Curves, point by point -----------------------------------------------------------------------------------------------


def points_of(curve, columns, take):
    """What a curve of ours has at the thresholds that theirs keeps, beside what it has there."""

    def answer(theirs, y_true, y_score, pos_label=None, sample_weight=None, drop_intermediate=None):
        found = scores_of(y_true, y_score, sample_weight, pos_label, exact=True).curve(curve)
        place = {float(x): i for i, x in enumerate(found.columns["threshold"]) if x is not None}
        numbers, thresholds = take(theirs)
        seen = [i for i, x in enumerate(thresholds) if np.isfinite(x)]
        ours = [[float(f(found.columns)[place[float(thresholds[i])]]) for i in seen] for f in columns]
        return np.array(ours), np.array([[float(row[i]) for i in seen] for row in numbers])

    return answer


def of_column(name):
    return lambda columns: columns[name]


CURVES = {
    "roc_curve": points_of("roc", [of_column("fpr"), of_column("tpr")], lambda x: (x[:2], x[2])),
    "det_curve": points_of("roc", [of_column("fpr"), lambda c: 1 - np.asarray(c["tpr"])], lambda x: (x[:2], x[2])),
    "precision_recall_curve": points_of("pr", [of_column("precision"), of_column("recall")], lambda x: (x[:2], x[2])),
    "confusion_matrix_at_thresholds": points_of(
        "roc", [of_column("tn"), of_column("fp"), of_column("fn"), of_column("tp")], lambda x: (x[:4], x[4])
    ),
}
"""Curves of theirs whose points are points of ours."""


# What is defined otherwise --------------------------------------------------------------------------------------------

TIES = "top-k accuracy of tied scores: the order of the columns decides there, and here every order counts alike"
ROWS_OF_MORE = "probabilities that do not add up to one: every row is divided by its sum there, and taken as it is here"


def otherwise(name, places, given):
    """Why both may differ, where a definition of theirs is another one."""
    scores = np.asarray(
        places[1] if len(places) > 1 else next(v for k, v in given.items() if k in {"y_proba", "y_pred"})
    )
    if name == "top_k_accuracy_score" and scores.ndim == 2:
        return TIES if any(len(set(row)) < len(row) for row in scores.tolist()) else ""
    if name in {"log_loss", "d2_log_loss_score"} and scores.ndim == 2:
        return "" if np.allclose(scores.sum(axis=1), 1, atol=1e-4) else ROWS_OF_MORE
    return ""
