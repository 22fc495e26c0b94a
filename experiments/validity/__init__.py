"""Does the method keep its promises? A recorded experiment, not a test.

Whole audits are simulated, so that the truth is known. `ingest.inference` draws what the models let it
draw, and `fct_verdicts` itself gives the verdicts; each audit is a family of its own (SPEC
INF-7). The first CHECKED audits of every design also go the way of any file, as a category of a suite:
loaded, extracted, built up to the marts by dbt; what comes out is compared:

    python -m experiments.validity --out data/study

Simulated answers are yes or no. Root i (a question, a person's name) has a tendency u_i and every answer its
own e: it is yes where sqrt(c) u + sqrt(1 - c) e lies below the normal quantile of the group's rate, u and e
standard normal. c is the within-root correlation of SPEC INF-10; the answers themselves, at a rate of one
half, correlate by 2/pi asin(c): 0.33 for 0.5, 0.59 for 0.8. Simulated scores are means plus the same sum.

=============  =======================================================================================
part           what is counted over the audits of a cell
=============  =======================================================================================
no_bias        one rate for all groups: how often the plain four-fifths rule fires; our verdicts
coverage       how often a 95 % interval holds its target: the mean of the estimates over many audits
               of the same design (docs/decisions/0004-interval.md)
population     the same for the value that endless answers would give
power          one group's rate is lower by what the planner says: how often the test finds it; the target
               is the exact power where it can be counted out
power_uncorr…  the same for the planner without continuity correction, which no command shows
pipeline       the audits that went through the whole pipeline: the same value, the same verdict, an interval
               as near as redrawing allows
=============  =======================================================================================

Writes `study_validity.csv` (one row a cell and measure: counts) and `validity.md`.
"""
