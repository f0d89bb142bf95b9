"""Published examples of comparisons, as their sources print them."""

from __future__ import annotations

NEWCOMBE = [
    # x, m, y, n, low, high: Newcombe, Interval estimation for the difference between independent proportions, Statistics in
    # Medicine 17 (1998), table II, method 10.
    (56, 70, 48, 80, 0.0524, 0.3339),
    (9, 10, 3, 10, 0.1705, 0.8090),
    (6, 7, 2, 7, 0.0582, 0.8062),
    (5, 56, 0, 29, -0.0381, 0.1926),
    (0, 10, 0, 20, -0.1611, 0.2775),
    (0, 10, 0, 10, -0.2775, 0.2775),
    (10, 10, 0, 20, 0.6791, 1.0000),
    (10, 10, 0, 10, 0.6075, 1.0000),
]

PAIRED = {
    # Agresti, Categorical Data Analysis (2002), table 10.1: approval of the prime minister in two surveys. χ² = 17.36.
    "prime minister": (794, 150, 86, 570),
    # Bland, An Introduction to Medical Statistics: colds of 1,319 children at 12 and 14 years. χ² = 31.36.
    "colds": (212, 144, 256, 707),
    # Bentur et al. (2009), in Fagerland, Lydersen, Laake, BMC Medical Research Methodology 13 (2013).
    "airways": (1, 1, 7, 12),
    # Cavo et al. (2012), in the same paper.
    "response": (59, 6, 16, 80),
}

COCHRAN: list[tuple[dict[tuple[int, ...], int], float, float]] = [
    # Cochran, The comparison of percentages in matched samples, Biometrika 37 (1950): four media for diphtheria; Q = 8.05.
    ({(1, 1, 1, 1): 4, (1, 1, 0, 1): 2, (0, 1, 1, 1): 3, (0, 1, 0, 1): 1, (0, 0, 0, 0): 59}, 8.05, 0.045),
    # Conover, Practical Nonparametric Statistics: three forecasters of twelve games; 2.8.
    ({(1, 1, 1): 6, (0, 1, 0): 2, (1, 1, 0): 2, (0, 0, 0): 1, (0, 0, 1): 1}, 2.80, 0.247),
    # Grizzle, Starmer, Koch, Biometrics 25 (1969): three drugs; in the manual of SAS, PROC FREQ: 8.4706, p = .0145.
    (
        {
            (1, 1, 1): 6,
            (1, 1, 0): 16,
            (1, 0, 1): 2,
            (1, 0, 0): 4,
            (0, 1, 1): 2,
            (0, 1, 0): 4,
            (0, 0, 1): 6,
            (0, 0, 0): 6,
        },
        8.4706,
        0.0145,
    ),
]

NORMAL_RATINGS, ABNORMAL_RATINGS = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
"""Ratings 1 to 5 of 58 normal and 51 abnormal images, Hanley and McNeil, Radiology 143 (1982), table I."""

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Crossed less self-fertilised maize, in eighths of an inch: Fisher, The Design of Experiments (1935), from Darwin."""
SLEEP = ([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0], [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
"""Hours of sleep gained by two drugs: Student, The probable error of a mean, Biometrika 6 (1908)."""
DEPRESSION = (
    [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
    [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
)
"""Hollander and Wolfe, Nonparametric Statistical Methods (1973), in the manual of R, wilcox.test."""

CONOVER = [
    [4, 3, 2, 1],
    [4, 2, 3, 1],
    [3, 1.5, 1.5, 4],
    [3, 1, 2, 4],
    [4, 2, 1, 3],
    [2, 2, 2, 4],
    [1, 3, 2, 4],
    [2, 4, 1, 3],
    [3.5, 1, 2, 3.5],
    [4, 1, 3, 2],
    [4, 2, 3, 1],
    [3.5, 1, 2, 3.5],
]
"""Ranks that twelve home owners gave to four grasses: Conover, Practical Nonparametric Statistics (1999), section 5.8."""

BASES = [
    [5.40, 5.50, 5.55],
    [5.85, 5.70, 5.75],
    [5.20, 5.60, 5.50],
    [5.55, 5.50, 5.40],
    [5.90, 5.85, 5.70],
    [5.45, 5.55, 5.60],
    [5.40, 5.40, 5.35],
    [5.45, 5.50, 5.35],
    [5.25, 5.15, 5.00],
    [5.85, 5.80, 5.70],
    [5.25, 5.20, 5.10],
    [5.65, 5.55, 5.45],
    [5.60, 5.35, 5.45],
    [5.05, 5.00, 4.95],
    [5.50, 5.50, 5.40],
    [5.45, 5.55, 5.50],
    [5.55, 5.55, 5.35],
    [5.45, 5.50, 5.55],
    [5.50, 5.45, 5.25],
    [5.65, 5.60, 5.40],
    [5.70, 5.65, 5.55],
    [6.30, 6.30, 6.25],
]
"""Seconds of 22 players rounding first base in three ways: Hollander and Wolfe (1973), in the manual of R, friedman.test."""

MEANS_OF_TREES = (
    [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957],
    [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978],
)
"""Areas of C4.5 and of C4.5 with tuned leaves on 14 data sets: Demšar, Journal of Machine Learning Research 7 (2006), table 2."""

NEMENYI = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}
BONFERRONI_DUNN = {
    0.05: (1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773),
    0.10: (1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539),
}
"""Critical values for 2 to 10 models, the same paper, table 5."""

FINDINGS = [
    0.0001,
    0.0004,
    0.0019,
    0.0095,
    0.0201,
    0.0278,
    0.0298,
    0.0344,
    0.0459,
    0.3240,
    0.4262,
    0.5719,
    0.6528,
    0.7590,
    1.0,
]
"""Fifteen p-values: Benjamini and Hochberg, Journal of the Royal Statistical Society B 57 (1995), section 4.1."""

FIVE = [[0.04, 0.01], [0.03, 0.06], [-0.01, 0.03], [0.05, 0.02], [0.02, 0.00]]
"""Differences of five repeats of two folds, made up."""
