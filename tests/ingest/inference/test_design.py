"""Which unit is drawn or relabelled as a whole."""

import numpy as np
from designs import whole_blocks, within_blocks

from ingest.inference.design import Design, resampling_unit


def test_unit_is_the_coarsest_that_a_group_holds_twice():
    assert resampling_unit(whole_blocks(4, 2, 3)) == "block"
    assert resampling_unit(whole_blocks(3, 2, 3)) == "block"  # though one group has a single block
    assert resampling_unit(whole_blocks(2, 2, 3)) == "prompt"
    assert resampling_unit(within_blocks(2, 5)) == "block"
    assert resampling_unit(within_blocks(1, 5, 2)) == "prompt"
    one_prompt_each = Design.from_values([np.repeat([0, 1], 5)], np.repeat([0, 1], 5), np.zeros(10))
    assert resampling_unit(one_prompt_each) == "response"
    single = Design.from_values([range(6)], range(6), range(6))
    assert resampling_unit(single) == "response"


def test_labels_follow_the_sorted_keys():
    design = Design.from_values([["M", "F", "F"], ["Thai", "Thai", "Malay"]], [1, 2, 3], [1, 2, 3])
    assert design.labels == ("F & Malay", "F & Thai", "M & Thai")
    assert design.group.tolist() == [2, 1, 0]
