"""Mixed models with independent random parts, fitted by restricted maximum likelihood (REML).

Source: Laird & Ware (1982), Biometrics 38(4).
"""

from collections.abc import Callable

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build

from ingest.inference.arrays import Array, Codes, indicators

STARTS = (0.3, 3.0)  # ratios of standard deviations, from which the fit begins
WIDEST = 1e3  # of these ratios
DENSE = 300  # levels of all parts, up to which dense matrices are faster
SEARCH = {"ftol": 1e-9, "gtol": 1e-5}  # how near the search comes, before the slopes take over
STEP = 1e-30  # off the real line, to measure slopes
SYMMETRIC = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
NOTHING = 1e-12  # squared ratio, below which a part adds nothing
SAME = 1e-6  # deviances that differ by less are of one lowest point


def part_columns(codes: list[Codes], n: int) -> "scipy.sparse.spmatrix":
    """Return the columns of 0 and 1 of all levels of parts, (n, levels)."""
    columns = [indicators(one).T for one in codes]
    return scipy.sparse.hstack(columns or [scipy.sparse.csr_matrix((n, 0))], format="csc")


def _log_of(values: Array) -> Array:
    """Return logarithms of values but for their signs, of imaginary parts too small to be squared."""
    size = np.maximum(np.abs(values.real), 1e-300)
    imaginary = 1j * values.imag / np.copysign(size, values.real) if np.iscomplexobj(values) else 0
    return np.asarray(np.log(size) + imaginary)


def _are_within(squares: Array) -> bool:
    """Say whether no squared ratio is as wide as a search may look."""
    return bool((squares < (1 - SAME) * WIDEST**2).all())


class Reml:
    """y = X b + sum of Z_k u_k + e, u_k of variance (r_k s)², e of variance s²: REML over the ratios r."""

    def __init__(self, y: Array, x: Array, codes: list[Codes]) -> None:
        self.n, self.rank = x.shape
        self.widths = [int(one.max()) + 1 for one in codes]
        z = part_columns(codes, len(y))
        # Beside a large mean, what is left of squares by subtraction would be rounding.
        self.about = np.linalg.lstsq(x, y, rcond=None)[0]
        fixed = np.column_stack([x, y - x @ self.about])
        crossed = (z.T @ z).tocsc()
        self.is_dense = sum(self.widths) <= DENSE
        self.crossed = crossed.toarray() if self.is_dense else crossed
        self.across = np.asarray(z.T @ fixed)
        self.own = fixed.T @ fixed

    def _solved(self, ratios: Array) -> tuple[Array, Array]:
        """Return [X y]' V⁻¹ [X y] and log |V|, V in units of the residual variance."""
        if not self.widths:
            return self.own, np.zeros(())
        scale = np.repeat(ratios, self.widths)
        across = scale[:, None] * self.across
        if self.is_dense:
            inner = scale[:, None] * self.crossed * scale + np.eye(len(scale))
            factors = scipy.linalg.lu_factor(inner, overwrite_a=True, check_finite=False)
            held, pivots = scipy.linalg.lu_solve(factors, across, check_finite=False), factors[0].diagonal()
        else:
            diagonal = scipy.sparse.diags(scale)
            inner = (diagonal @ self.crossed @ diagonal + scipy.sparse.eye(len(scale))).tocsc()
            sparse_factors = scipy.sparse.linalg.splu(inner, **SYMMETRIC)
            held, pivots = sparse_factors.solve(across), sparse_factors.U.diagonal()
        return self.own - across.T @ held, _log_of(pivots).sum()

    def _deviance(self, ratios: Array) -> Array:
        """-2 log of the restricted likelihood, but for a constant."""
        crossed, log_determinant = self._solved(ratios)
        a, b = crossed[:-1, :-1], crossed[:-1, -1]
        left = crossed[-1, -1] - b @ np.linalg.solve(a, b)
        sign, size = np.linalg.slogdet(a)
        return np.asarray((self.n - self.rank) * _log_of(left) + log_determinant + size + np.log(sign))

    def _slopes(self, at: Array, squares: Callable[[Array], Array]) -> Array:
        """Return the slopes of the deviance at a point (parts,), whose squared ratios are `squares` of it.

        By a step off the real line, which loses no digits to a difference. Source: Squire & Trapp (1998),
        SIAM Review 40(1).
        """
        steps = at + 1j * STEP * np.eye(len(at))
        return np.array([self._deviance(np.sqrt(squares(one))).imag for one in steps]) / STEP

    def _polished(self, squares: Array) -> Array:
        """Return where the deviance has no slope, near the squared ratios that a search found.

        A search that looks at the deviance alone ends a relative 1e-7 beside its lowest point, and elsewhere
        where the rows come in another order: the last digits of the deviance are rounding.
        """
        is_free = squares > NOTHING
        if not is_free.any():
            return squares

        def all_logs(logs: Array) -> Array:
            filled = np.full(len(squares), -np.inf)
            filled[is_free] = np.clip(logs, np.log(NOTHING), 2 * np.log(WIDEST))
            return filled

        found = scipy.optimize.root(
            lambda logs: self._slopes(all_logs(logs), np.exp)[is_free], np.log(squares[is_free]), tol=1e-13
        )
        polished = np.where(is_free, np.exp(all_logs(found.x)), squares)
        is_as_likely = self._deviance(np.sqrt(polished)) <= self._deviance(np.sqrt(squares)) + SAME
        return polished if is_as_likely else squares

    def _by_places(self, places: Array) -> tuple[float, Array]:
        """Return the deviance and its slopes, by the places log(1 + squared ratio) at which a search looks.

        They measure ratios evenly from far below 1 to far above, and reach 0, where a slope may be left.
        """
        return float(self._deviance(np.sqrt(np.expm1(places)))), self._slopes(places, np.expm1)

    def fit(self) -> tuple[Array, bool]:
        """Return the likeliest ratios of standard deviations, and whether the search came to an end."""
        if not self.widths:
            return np.zeros(0), True
        found = [
            scipy.optimize.minimize(
                self._by_places,
                np.full(len(self.widths), np.log1p(start**2)),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, np.log1p(WIDEST**2))] * len(self.widths),
                options=SEARCH,
            )
            for start in STARTS
        ]
        best = min(found, key=lambda one: one.fun)
        squares = np.expm1(best.x)
        if not np.isfinite(best.fun) or not _are_within(squares):
            return np.sqrt(squares), False
        polished = self._polished(squares)
        return np.sqrt(polished), _are_within(polished)

    def estimates(self, ratios: Array) -> tuple[Array, Array, float]:
        """Return the coefficients of x, their covariance, and the residual variance."""
        crossed, _ = self._solved(ratios)
        a, b = crossed[:-1, :-1], crossed[:-1, -1]
        means = np.linalg.solve(a, b)
        residual = float(crossed[-1, -1] - b @ means) / (self.n - self.rank)
        return np.asarray(means + self.about), np.asarray(residual * np.linalg.inv(a)), residual
