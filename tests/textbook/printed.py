"""The data tables of the printed examples, as plain Python.

The rows are those that stand on the page; where part of a matrix is illegible, a comment says how it was restored.
A two-by-two matrix is [[TP, FN], [FP, TN]]: rows are the real level, columns the predicted one.
"""

from __future__ import annotations

Matrix = list[list[int]]

# --- Kelleher, Mac Namee, D'Arcy, Fundamentals of Machine Learning for Predictive Data Analytics, chapter 8 ----------

# id, target, score, outcome at threshold 0.5, predicted label at the thresholds of THRESHOLDS
THRESHOLDS = (0.10, 0.25, 0.50, 0.75, 0.90)
SPAM: list[tuple[int, str, float, str, str]] = [
    (7, "ham", 0.001, "TN", "ham ham ham ham ham"),
    (11, "ham", 0.003, "TN", "ham ham ham ham ham"),
    (15, "ham", 0.059, "TN", "ham ham ham ham ham"),
    (13, "ham", 0.064, "TN", "ham ham ham ham ham"),
    (19, "ham", 0.094, "TN", "ham ham ham ham ham"),
    (12, "spam", 0.160, "FN", "spam ham ham ham ham"),
    (2, "spam", 0.184, "FN", "spam ham ham ham ham"),
    (3, "ham", 0.226, "TN", "spam ham ham ham ham"),
    (16, "ham", 0.246, "TN", "spam ham ham ham ham"),
    (1, "spam", 0.293, "FN", "spam spam ham ham ham"),
    (5, "ham", 0.302, "TN", "spam spam ham ham ham"),
    (14, "ham", 0.348, "TN", "spam spam ham ham ham"),
    (17, "ham", 0.657, "FP", "spam spam spam ham ham"),
    (8, "spam", 0.676, "TP", "spam spam spam ham ham"),
    (6, "spam", 0.719, "TP", "spam spam spam ham ham"),
    (10, "spam", 0.781, "TP", "spam spam spam spam ham"),
    (18, "spam", 0.833, "TP", "spam spam spam spam ham"),
    (20, "ham", 0.877, "FP", "spam spam spam spam ham"),
    (9, "spam", 0.960, "TP", "spam spam spam spam spam"),
    (4, "spam", 0.963, "TP", "spam spam spam spam spam"),
]

# The five folds of the x-ray example. Only the 'lateral' row of each fold is legible; the 'frontal' row is the one that
# makes 100 instances and the printed accuracy, and the five then add up to the printed overall matrix.
XRAY_LEVELS = ["lateral", "frontal"]
XRAY_FOLDS: list[Matrix] = [
    [[43, 9], [10, 38]],
    [[46, 9], [3, 42]],
    [[51, 10], [8, 31]],
    [[51, 8], [7, 34]],
    [[46, 9], [7, 38]],
]
XRAY_FOLD_ACCURACY = ("81", "88", "82", "85", "84")  # per cent
XRAY_OVERALL: Matrix = [[237, 45], [35, 183]]

CHURN_LEVELS = ["non-churn", "churn"]
CHURN_KNN: Matrix = [[90, 0], [9, 1]]
CHURN_NAIVE_BAYES: Matrix = [[70, 20], [2, 8]]

PAYDAY_LEVELS = ["good", "bad"]
PAYDAY_KNN: Matrix = [[57, 3], [10, 30]]
PAYDAY_TREE: Matrix = [[43, 17], [3, 37]]
PAYDAY_PROFIT: Matrix = [[140, -140], [-700, 0]]
PAYDAY_KNN_PROFIT: Matrix = [[7980, -420], [-7000, 0]]
PAYDAY_TREE_PROFIT: Matrix = [[6020, -2380], [-2100, 0]]

# id, target, prediction
BACTERIA_LEVELS = ["durionis", "ficulneus", "fructosus", "pseudo."]
BACTERIA: list[tuple[int, str, str]] = [
    (1, "durionis", "fructosus"),
    (2, "ficulneus", "fructosus"),
    (3, "fructosus", "fructosus"),
    (4, "ficulneus", "ficulneus"),
    (5, "durionis", "durionis"),
    (6, "pseudo.", "pseudo."),
    (7, "durionis", "fructosus"),
    (8, "ficulneus", "ficulneus"),
    (9, "pseudo.", "pseudo."),
    (10, "pseudo.", "fructosus"),
    (11, "fructosus", "fructosus"),
    (12, "ficulneus", "ficulneus"),
    (13, "durionis", "durionis"),
    (14, "fructosus", "fructosus"),
    (15, "fructosus", "ficulneus"),
    (16, "ficulneus", "ficulneus"),
    (17, "ficulneus", "ficulneus"),
    (18, "fructosus", "fructosus"),
    (19, "durionis", "durionis"),
    (20, "fructosus", "fructosus"),
    (21, "fructosus", "fructosus"),
    (22, "durionis", "durionis"),
    (23, "fructosus", "fructosus"),
    (24, "pseudo.", "fructosus"),
    (25, "durionis", "durionis"),
    (26, "pseudo.", "pseudo."),
    (27, "fructosus", "fructosus"),
    (28, "ficulneus", "ficulneus"),
    (29, "fructosus", "fructosus"),
    (30, "fructosus", "fructosus"),
]

# id, target, linear regression: prediction, printed error; k-NN: prediction, printed error
REGRESSION: list[tuple[int, float, float, float, float, float]] = [
    (1, 10.502, 10.730, 0.228, 12.240, 1.738),
    (2, 18.990, 17.578, -1.412, 21.000, 2.010),
    (3, 20.000, 21.760, 1.760, 16.973, -3.027),
    (4, 6.883, 7.001, 0.118, 7.543, 0.660),
    (5, 5.351, 5.244, -0.107, 8.383, 3.032),
    (6, 11.120, 10.842, -0.278, 10.228, -0.892),
    (7, 11.420, 10.913, -0.507, 12.921, 1.500),
    (8, 4.836, 7.401, 2.565, 7.588, 2.752),
    (9, 8.177, 8.227, 0.050, 9.277, 1.100),
    (10, 19.009, 16.667, -2.341, 21.000, 1.991),
    (11, 13.282, 14.424, 1.142, 15.496, 2.214),
    (12, 8.689, 9.874, 1.185, 5.724, -2.965),
    (13, 18.050, 19.503, 1.453, 16.449, -1.601),
    (14, 5.388, 7.020, 1.632, 6.640, 1.252),
    (15, 10.646, 10.358, -0.288, 5.840, -4.805),
    (16, 19.612, 16.219, -3.393, 18.965, -0.646),
    (17, 10.576, 10.680, 0.104, 8.941, -1.634),
    (18, 12.934, 14.337, 1.403, 12.484, -0.451),
    (19, 10.492, 10.366, -0.126, 13.021, 2.529),
    (20, 13.439, 14.035, 0.596, 10.920, -2.519),
    (21, 9.849, 9.821, -0.029, 9.920, 0.071),
    (22, 18.045, 16.639, -1.406, 18.526, 0.482),
    (23, 6.413, 7.225, 0.813, 7.719, 1.307),
    (24, 9.522, 9.565, 0.043, 8.934, -0.588),
    (25, 12.083, 13.048, 0.965, 11.241, -0.842),
    (26, 10.104, 10.085, -0.020, 10.010, -0.095),
    (27, 8.924, 9.048, 0.124, 8.157, -0.767),
    (28, 10.636, 10.876, 0.239, 13.409, 2.773),
    (29, 5.457, 4.080, -1.376, 9.684, 4.228),
    (30, 3.538, 7.090, 3.551, 5.553, 2.014),
]

# --- Tan, Steinbach, Kumar, Introduction to Data Mining, chapter 4 ---------------------------------------------------

# score, real class; three instances share the score 0.85. Witschel and Martin print the same table.
TEN_WITH_TIES: list[tuple[float, str]] = [
    (0.95, "+"),
    (0.93, "+"),
    (0.87, "-"),
    (0.85, "-"),
    (0.85, "-"),
    (0.85, "+"),
    (0.76, "-"),
    (0.53, "+"),
    (0.43, "-"),
    (0.25, "+"),
]
# The printed columns of the construction: threshold, TP, FP. The tied score has three columns.
TEN_WITH_TIES_COLUMNS: list[tuple[float, int, int]] = [
    (0.25, 5, 5),
    (0.43, 4, 5),
    (0.53, 4, 4),
    (0.76, 3, 4),
    (0.85, 3, 3),
    (0.85, 3, 2),
    (0.85, 3, 1),
    (0.87, 2, 1),
    (0.93, 2, 0),
    (0.95, 1, 0),
    (1.00, 0, 0),
]

# The two models of the cost example. Only the second column of each matrix is legible, of the costs too; with costs
# -1 100 / 1 0 the printed accuracy and cost leave one completion.
COST_MATRIX: Matrix = [[-1, 100], [1, 0]]
COST_M1: Matrix = [[150, 40], [60, 250]]
COST_M2: Matrix = [[250, 45], [5, 200]]

# test instances: printed lower limit, printed upper limit, for an accuracy of 0.8 at 95 per cent
ACCURACY_LIMITS: dict[int, tuple[str, str]] = {
    50: ("0.670", "0.888"),
    100: ("0.711", "0.866"),
    500: ("0.763", "0.833"),
    1000: ("0.774", "0.824"),
    5000: ("0.789", "0.811"),
}
# confidence: printed normal quantile
NORMAL_QUANTILES: dict[float, str] = {0.99: "2.58", 0.98: "2.33", 0.95: "1.96", 0.90: "1.65"}

# --- Witschel, Martin, Maschinelles Lernen - Evaluierung --------------------------------------------------------------

# The card shows six measures and its matrix is lost; this is the smallest matrix that gives all six.
CARD: Matrix = [[113, 8], [87, 409]]
CARD_MEASURES: dict[str, str] = {
    "recall": "0.934",
    "specificity": "0.825",
    "precision": "0.565",
    "f1": "0.704",
    "accuracy": "0.846",
    "kappa": "0.608",
}

# score, real class, then TPR and FPR with the instance's score as threshold
TEN_WITHOUT_TIES: list[tuple[float, str, str, str]] = [
    (0.95, "+", "1/6", "0"),
    (0.93, "+", "2/6", "0"),
    (0.87, "+", "3/6", "0"),
    (0.85, "+", "4/6", "0"),
    (0.84, "-", "4/6", "1/4"),
    (0.83, "+", "5/6", "1/4"),
    (0.76, "-", "5/6", "2/4"),
    (0.53, "+", "1", "2/4"),
    (0.43, "-", "1", "3/4"),
    (0.25, "-", "1", "1"),
]

# A winter check earns 40 francs, a letter costs 1; the cost of a letter to a customer who comes is 1 - 40.
SWISS_BIKES: Matrix = [[12, 20], [67, 101]]
SWISS_BIKES_COST: Matrix = [[-39, 0], [1, 0]]
ERROR_COST: Matrix = [[0, 1], [1, 0]]
