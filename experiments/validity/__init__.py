"""Does the method keep its promises? A recorded experiment, not a test.

Whole audits are simulated, so that the truth is known, and go the way of any file of answers: loaded,
extracted, built up to `fct_verdicts` by dbt. Each audit is a config of its own, and so a family of its own.
What comes out is counted:

    python -m experiments.validity --out data/study

A unit (a person's name, or a root that is asked about every group) has its own shares of the outcomes, drawn
from a Dirichlet distribution whose mean is its group's; its answers are drawn from these. So the answers to a
unit correlate by the cell's ICC. `cells.py` has the designs, `count.py` what is counted.

==============  ======================================================================================
part            what is counted over the audits of a cell
==============  ======================================================================================
false_alarm     audits with a `fail` by a profile where nothing differs
pass_at_limit   `pass` where the truth is at the limit, or up to a quarter beyond
pass_beyond     `pass` where it is a quarter or more beyond
fail_far        `fail` where the truth is half again as far as the fail limit, with 40 units or more
pass_equal      `pass` where nothing differs, with 400 units
interval        95 % intervals that hold what the design gives on average (docs/decisions/0004-interval.md)
bound           one-sided 95 % bounds that hold what endless answers would give
power_to_fail   `fail` where the planner promises so many; power_to_pass: `pass`
advice          audits that are decided once what their `inconclusive` asks for is collected
==============  ======================================================================================

Writes `study_validity.csv` (one row a cell, part, profile and metric) and `validity.md`. What a cell gave is
kept under `cells/`: a study that was stopped goes on where it was.
"""
