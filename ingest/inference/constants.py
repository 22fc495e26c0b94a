"""Numbers that the method is defined by, each in one place."""

ALPHA = 0.05  # level of a test
POWER = 0.8  # that a plan asks for
NULL_LEVELS = (0.5, 0.05, 0.95)  # quantiles that are told of what chance alone gives

MIN_UNITS = 10  # for an interval (SPEC INF-2)
MIN_UNITS_PER_GROUP = 5
UNLIKE = 1.25  # times as many units in one group as in another: a gap is then judged in standard errors, too
MIN_LABELS = 10  # of a group: with fewer its error is anybody's guess
MIN_VALID_RATE = 0.9  # of the resamples, below which neither interval nor p-value is given

RELATIVE_SLACK, ABSOLUTE_SLACK = 1e-9, 1e-12  # a tie is a tie whatever the order of summation
VARIANCE_FLOOR = 1e-12  # of the sum of squares: what cancellation leaves of a variance of zero
LIMIT_SLACK = 1e-9  # by which a number may miss a limit and still tie with it, SPEC CON-3
SHARE_FLOOR = 1e-10  # of a bin, SPEC SUM-9

# Working set of one chunk of resamples; larger ones leave the cache and are slower.
CHUNK_BYTES = 4 * 2**20
CHUNK_DRAWS = 100  # resamples at once where a chunk is not measured in bytes

# Random numbers are drawn from a stream of their own for each purpose.
PERMUTATION_STREAM, BOOTSTRAP_STREAM, MONTE_CARLO_STREAM, EXCHANGE_STREAM, PSEUDO_UNIT_STREAM = range(5)
CENSUS_STREAM, LOOKS_STREAM, LABEL_STREAM, FLIP_STREAM = 5, 6, 7, 8
