"""How many answers are drawn of each stratum."""

import numpy as np

STEPS = 200  # of a bisection: far below what a rounded number shows


def allocate(sizes: np.ndarray, least: np.ndarray, total: int) -> np.ndarray:
    """Return how many of each stratum are drawn: whole numbers between `least` and `sizes`, in all `total`.

    In proportion to the square root of a stratum's size (power allocation, Bankier 1988), as far as these
    bounds allow. In proportion to the size, a label or a group that is rare would be read too seldom to say
    how often it is read wrong; with equal numbers, what is said of all answers would rest on the rare ones.

    Raises ValueError where the bounds leave no such numbers.
    """
    if not least.sum() <= total <= sizes.sum():
        raise ValueError(f"{total} lies outside {least.sum()} to {sizes.sum()}")
    weights = np.sqrt(sizes)
    low, high = 0.0, float(sizes.max(initial=0)) + 1
    for _ in range(STEPS):
        middle = (low + high) / 2
        if np.clip(middle * weights, least, sizes).sum() < total:
            low = middle
        else:
            high = middle
    wanted = np.clip(high * weights, least, sizes)
    whole: np.ndarray = np.floor(wanted + 1e-9).astype(np.int64)
    # The largest remainders are rounded up; of equal ones the first.
    order = np.argsort(whole - wanted, kind="stable")
    room = order[whole[order] < sizes[order]]
    whole[room[: total - whole.sum()]] += 1
    return whole
