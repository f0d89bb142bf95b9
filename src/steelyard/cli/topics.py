"""The topics of `steelyard help`: a line about each, and worked examples that the tests run."""

from __future__ import annotations

from steelyard.cli.source_topics import SOURCE_TOPICS
from steelyard.cli.use_topics import USE_TOPICS

TOPICS: dict[str, tuple[str, str]] = {
    "start": (
        "the first evaluation",
        """\
You need a file with one row a prediction: what really happened, and what the
model said. Nothing else; the model itself is never asked.

  $ steelyard evaluate preds.csv --target y --score p

y holds 0 and 1 (or false and true); p is higher the more likely y is 1.
If the target holds words, say which of them is the positive one:

  $ steelyard evaluate preds.csv --target label --score p --positive spam

Every number comes with an interval: with other rows from the same source the
number would differ, and the interval says by how much. A number that does not
exist is printed as n/a with the reason, never as 0.

To see all of this on real data: steelyard demo""",
    ),
    **SOURCE_TOPICS,
    "threshold": (
        "from scores to labels",
        """\
A row is labelled positive if its score is at least the threshold, 0.5 unless
you say otherwise. The order of the scores (auc, ks, lift) does not depend on
it; recall, precision and the confusion matrix do.

  $ steelyard evaluate preds.csv --target y --score p --threshold 0.3

If labels come with the scores, they are used as they are and no threshold is:

  $ steelyard evaluate preds.csv --target label --score p \\
      --prediction guess --positive spam

Which threshold is best depends on what it is for:

  $ steelyard threshold preds.csv --target y --score p --maximise f1

More on that: steelyard help worth""",
    ),
    "worth": (
        "profit, cost, the best threshold, campaigns",
        """\
Say what outcomes earn: tp (a positive found), fn (one missed), fp (a false
alarm), tn (a negative left alone). The profit is told beside those of
policies that need no model.

  $ steelyard evaluate preds.csv --target y --score p \\
      --profit 'tp=140, fn=-140, fp=-700, tn=0'

Amounts may be ranges, and may use columns: amounts of each row's own. A
profit is better kept in a file: profit.toml with tp = 140 and so on below a
line [profit], or a matrix in a .csv file for any number of levels; with
[cost], or --cost, amounts are costs.

  $ steelyard evaluate preds.csv --target y --score p \\
      --profit 'tp=100..180, fp=-0.1*w - 5'
  $ steelyard evaluate preds.csv --target y --score p --profit profit.toml

Scores that are probabilities can be acted on row by row:

  $ steelyard evaluate preds.csv --target y --score p \\
      --profit profit.toml --decide profit

The threshold that earns most, or is best for a measure, within limits:

  $ steelyard threshold preds.csv --target y --score p --profit profit.toml
  $ steelyard threshold preds.csv --target y --score p \\
      --maximise f1 --constraint 'contacts <= 100' --constraint 'fpr <= 20%'

A threshold looks good on the rows it was chosen on. By how much is told, or
choose it on other rows: a column that is true for them, or another file.

  $ steelyard threshold preds.csv --target y --score p \\
      --cost 'fn=500, fp=10' --validation more.csv

Whom to contact, and what it earns; with a smaller share of targets than in
the file, and before there is any model at all:

  $ steelyard campaign preds.csv --target y --score p --benefit 40 --cost 10
  $ steelyard campaign preds.csv --target y --score p --benefit 40 --cost 1 \\
      --prospects 100000 --targets 2% --contacts 5000
  $ steelyard campaign --benefit 40 --cost 1 --prospects 100000 --targets 2%""",
    ),
    "classes": (
        "more than two levels",
        """\
With predicted labels, name the two columns:

  $ steelyard evaluate flowers.csv --target species --prediction guess

With a score for each level, name each, as LEVEL=COLUMN:

  $ steelyard evaluate flowers.csv --target species \\
      --score a=p_a --score b=p_b --score c=p_c

"macro" is the mean over the levels, each counting the same; --json has
"micro" (all counts pooled) and "weighted" (by rows of the level) as well.""",
    ),
    "numbers": (
        "continuous targets",
        """\
Name the target and the prediction:

  $ steelyard evaluate doses.csv --target dose --prediction dose_hat

Errors are always prediction − target, so a bias above zero means too high.
Whole numbers may be labels or quantities; where it is not clear, say which:

  $ steelyard evaluate doses.csv --target pills \\
      --prediction pills_hat --kind continuous""",
    ),
    "rows": (
        "weights, units, segments, missing values",
        """\
Rows that stand for more than one case have a weight. Sampling weights are
scale-free; a frequency weight of k is the same as k copies of the row.

  $ steelyard evaluate preds.csv --target y --score p --weight w
  $ steelyard evaluate preds.csv --target y --score p \\
      --weight copies --weights frequency

Many rows about the same customer are not as good as many customers. Say so,
and the intervals follow customers:

  $ steelyard evaluate preds.csv --target y --score p --unit customer

Each region apart, and all together:

  $ steelyard evaluate preds.csv --target y --score p --segment region

A file with missing values is refused, unless you have them left out; the
result then says how many there were.

  $ steelyard evaluate gaps.csv --target y --score p --missing drop""",
    ),
    "report": (
        "a page to open and to pass on",
        """\
One file that opens offline: how good, how sure, where it fails, which
threshold, what it is worth. Its slider moves the threshold, and its boxes
take any amounts.

  $ steelyard report preds.csv --target y --score p
  $ steelyard report preds.csv --target y --score p \\
      --profit 'tp=140, fp=-70' -o worth.html

Several models side by side, each with a name:

  $ steelyard report preds.csv --target y --score one=p --score two=w \\
      -o models.html

Slices: every other column with a few values is looked through for rows on
which the model does worse than on the rest, corrected for many looks.

  $ steelyard report preds.csv --target y --score p --slices -o slices.html

Markdown for a pull request, JSON with every number and sentence:

  $ steelyard report preds.csv --target y --score p -o report.md
  $ steelyard report preds.csv --target y --score p -o report.json""",
    ),
    "check": (
        "fail the build if a model is not good enough",
        """\
Say what is required. A requirement is met when the whole interval keeps it:
a value on the right side may be luck, and is told as "not shown".

  $ steelyard check preds.csv --target y --score p \\
      --require 'auc >= 0.60' --require 'recall@0.3 >= 60%'

One level, or the average over levels, stands in brackets; options of a
measure in parentheses:

  $ steelyard check flowers.csv --target species --prediction guess \\
      --require 'recall[a] >= 0.5' --require 'recall[macro] >= 50%'
  $ steelyard check preds.csv --target y --score p \\
      --require 'capture(depth=20%) >= 0.1' --require 'ece <= 0.5'

--on point looks at values alone. A champion is an evaluation that was saved;
the challenger passes if it is shown to be worse by the margin at most. Both
are taken to have been evaluated on rows of their own.

  $ steelyard evaluate preds.csv --target y --score p --save champion.json
  $ steelyard check preds.csv --target y --score p \\
      --against champion.json --margin 0.15
  $ steelyard check preds.csv --target y --score p --against champion.json \\
      --compare auc --compare brier --margin auc=0.15 --margin brier=0.1

A build server reads JUnit XML, a script JSON:

  $ steelyard check preds.csv --target y --score p \\
      --require 'auc >= 0.60' --junit gate.xml --json -o gate.json

  0  all requirements are met      2  wrong usage
  1  some are not                  3  the input cannot be used""",
    ),
    "compare": (
        "which model is better, and how many rows tell",
        """\
How models were tested decides which test is right; it is recognised by what
you name. The verdict comes from the interval of the difference. That two
intervals overlap says nothing about it.

The same rows: one file with a column for each model, or a file for each
model and the column that names their rows.

  $ steelyard compare preds.csv --target y --score one=p --score two=w
  $ steelyard compare knn.csv tree.csv --target y --score p --on id
  $ steelyard compare preds.csv --target y --score p --score w \\
      --measure f1 --measure recall --unit customer --report which.html

Different rows: evaluations that were saved, each by its name.

  $ steelyard evaluate preds.csv --target y --score p --save march.json
  $ steelyard evaluate more.csv --target y --score p --save april.json
  $ steelyard compare march.json april.json
  $ steelyard compare old=march.json new=april.json --measure auc

Saved evaluations of the same rows carry what pairs them, if there were units:

  $ steelyard evaluate preds.csv --target y --score p --unit customer \\
      --save p.json
  $ steelyard evaluate preds.csv --target y --score w --unit customer \\
      --save w.json
  $ steelyard compare p.json w.json --paired --measure auc

The same folds: the store of an experiment. Folds share training rows, and
the test allows for that.

  $ steelyard experiment flowers.csv --target species --models bayes,tree \\
      --drop guess --design kfold:5 --store runs
  $ steelyard compare runs --measure accuracy
  $ steelyard compare runs --model tree --model bayes --measure accuracy

Many data sets: a table with a column of results for each model and a row for
each data set. Mean ranks, and which of them differ; --latex for a paper.

  $ steelyard compare results.csv --ranks
  $ steelyard compare results.csv --ranks --better lower --latex

better, worse        the interval of the difference leaves out zero
equivalent within    it lies inside the margin, the largest difference that
                     does not matter: --margin 0.01, or auc=0.01,brier=0.005
no clear difference  neither; that is not "the same"
too few cases        fewer than thirty of what the measure rests on: rows, or
                     rows of the rarer kind; fewer than ten units; of shares on
                     the same rows, so few that tell the two apart that all of
                     them on one side would be luck

  $ steelyard compare preds.csv --target y --score p --score w --margin 0.02

Of three models and more, intervals, p-values and verdicts hold for all pairs
at once (Bonferroni), and how much of the best one's lead is luck is told.
--control NAME compares all others with one.

How many rows show a difference, or which difference so many rows show:

  $ steelyard sample-size accuracy --value 0.80 --difference 0.05
  $ steelyard sample-size auc --value 0.80 --difference 0.03 \\
      --prevalence 0.1 --paired --correlation 0.6
  $ steelyard sample-size accuracy --value 0.80 --rows 1000""",
    ),
    "experiment": (
        "train and test models",
        """\
A file with one row a case and its target is enough. Models by name: knn,
tree, bayes, logistic, forest, boosting, linear, svm, network, and baseline,
which is no model at all. Text, levels, dates and gaps are prepared.

  $ steelyard experiment flowers.csv --target species --models tree,baseline \\
      --drop guess
  $ steelyard experiment doses.csv --target dose --models linear,tree \\
      --design holdout:0.3x5

A model of one's own is a function or class in a module here, such as
mymodule.py: --models mymodule:factory,tree

A design says which rows train and which test. Ten folds, stratified for
levels, unless you say otherwise:

  kfold:10x3         ten folds, three times
  holdout:0.3x20     30% of the rows test, twenty times
  loo, bootstrap:200, nested:5x10, paired:15x10
  folds:COLUMN       folds that the file already has
  outoftime:COLUMN:5 the past trains and the future tests, at five moments

Rows that belong together stay together, and are not learnt from by name:

  $ steelyard experiment preds.csv --target y --models tree,baseline \\
      --drop label --drop guess --group customer --design kfold:3

Keep every fold in a folder. Run the same line again after a crash, or with
more repeats, and only what is missing is done:

  $ steelyard experiment flowers.csv --target species --models bayes \\
      --drop guess --design kfold:3 --store runs --report bayes.html
  $ steelyard experiment flowers.csv --target species --models bayes,tree \\
      --drop guess --design kfold:3x2 --store runs
  $ steelyard runs
  $ steelyard runs show --report latest.html
  $ steelyard runs prune --older-than 30 --dry-run

What would more rows bring?

  $ steelyard learning-curve flowers.csv --target species --models bayes \\
      --drop guess --sizes geometric:20:2 --repeats 3

Two intervals are told apart: for models to come, which allows for training
rows that folds share, and of the sum of the folds, for the models that were
trained. --jobs 2 trains on two cores; --seed draws other folds.""",
    ),
    "monitor": (
        "whether a model wears out",
        """\
You need a file of predictions with a column of times. Targets that are not
known yet are left empty.

  $ steelyard monitor stream.csv --time scored --target y --score p \\
      --reference 'first 8 windows' --window week

Every window is held against the reference: how good the model is (by the
interval of the difference itself), whether scores still look the same, and
with --features all whether everything else does. An alarm says that a loss
exceeds the margin of 5%, a warning that there is a loss at all. Rows in an hour
are held against the windows before: half or twice as many are an alarm.

A window is judged when 95% of its rows have their target, or when --horizon
has passed. Until then its labels are those that came early, which may be the
bad ones: what is told is expected from the scores, and raises no alarm. Of
accuracy or recall the worst and the best that can still come are told too.

False alarms have a budget, one per quarter unless you say otherwise. It sets
the level at which each window is judged. Two windows in a row fire an alarm
(--for). --mode sequential may be looked at every day.

Customers that enter in a window are a cohort. Followed for a period, they show
whether the model still warns early enough (Q, as steelyard timeliness tells):

  $ steelyard monitor stream.csv --time scored --target y --score p \\
      --unit customer --period '14 days' --window week \\
      --reference 'first 8 windows'

Keep the reference, and use it from cron or a build server:

  $ steelyard monitor stream.csv --time scored --target y --score p \\
      --reference 2024-03-01 --save-baseline baseline.json
  $ steelyard monitor stream.csv --time scored --target y --score p \\
      --reference baseline.json --since 2024-06-01 --fail-on alarm

With --fail-on the exit code is 0 if all is well, 10 if a warning stands (only
with --fail-on warn), 11 if an alarm does, 12 if nothing could be judged.
Days are those of --zone, also where a day has 23 or 25 hours.""",
    ),
    **USE_TOPICS,
    "scripts": (
        "JSON, exit codes, quiet",
        """\
--json prints one document: "schema" is 1, "numbers" has a row for every
number (measure, level, segment, estimate, low, high, method, n …), and a
number that does not exist is null with its "reason". threshold, campaign and
compare have --json as well.

  $ steelyard evaluate preds.csv --target y --score p --json -o numbers.json

Files are not written over without --force, and never left half-written.
Results go to stdout; notes, progress and errors to stderr.

  0    done
  1    check: a requirement is not met
  2    wrong usage
  3    the input cannot be used
  10   monitor --fail-on: a warning stands (11 an alarm, 12 nothing judged)
  130  interrupted""",
    ),
}
