"""Mixed models with independent random parts, fitted by restricted maximum likelihood (REML).

Source: Laird & Ware (1982), Biometrics 38(4).
"""

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build

from ingest.inference.arrays import Array, Codes, indicators

STARTS = (0.3, 3.0)  # ratios of standard deviations, from which the fit begins
WIDEST = 1e3  # of these ratios
DENSE = 300  # levels of all parts, up to which dense matrices are faster


def part_columns(codes: list[Codes], n: int) -> "scipy.sparse.spmatrix":
    """Return the columns of 0 and 1 of all levels of parts, (n, levels)."""
    columns = [indicators(one).T for one in codes]
    return scipy.sparse.hstack(columns or [scipy.sparse.csr_matrix((n, 0))], format="csc")


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

    def _solved(self, ratios: Array) -> tuple[Array, float]:
        """Return [X y]' V⁻¹ [X y] and log |V|, V in units of the residual variance."""
        if not self.widths:
            return self.own, 0.0
        scale = np.repeat(ratios, self.widths)
        across = scale[:, None] * self.across
        if self.is_dense:
            inner = scale[:, None] * self.crossed * scale + np.eye(len(scale))
            lower = np.linalg.cholesky(inner)
            half = scipy.linalg.solve_triangular(lower, across, lower=True, check_finite=False)
            return self.own - half.T @ half, 2 * float(np.log(lower.diagonal()).sum())
        diagonal = scipy.sparse.diags(scale)
        inner = (diagonal @ self.crossed @ diagonal + scipy.sparse.eye(len(scale))).tocsc()
        factors = scipy.sparse.linalg.splu(inner)
        log_determinant = float(np.log(np.abs(factors.U.diagonal())).sum())
        return self.own - across.T @ factors.solve(across), log_determinant

    def _deviance(self, ratios: Array) -> float:
        """-2 log of the restricted likelihood, but for a constant."""
        crossed, log_determinant = self._solved(ratios)
        a, b = crossed[:-1, :-1], crossed[:-1, -1]
        left = crossed[-1, -1] - b @ np.linalg.solve(a, b)
        freedom = self.n - self.rank
        return float(freedom * np.log(max(left, 1e-300)) + log_determinant + np.linalg.slogdet(a)[1])

    def fit(self) -> tuple[Array, bool]:
        """Return the likeliest ratios of standard deviations, and whether the search came to an end."""
        if not self.widths:
            return np.zeros(0), True
        found = [
            scipy.optimize.minimize(
                self._deviance,
                np.full(len(self.widths), start),
                method="L-BFGS-B",
                bounds=[(0.0, WIDEST)] * len(self.widths),
                options={"ftol": 1e-12, "gtol": 1e-7},
            )
            for start in STARTS
        ]
        likeliest = min(found, key=lambda one: float(one.fun)).x
        # A search over deviations ends at one of 0, where its slope is 0; that of the variance need not be.
        best = scipy.optimize.minimize(
            lambda squares: self._deviance(np.sqrt(squares)),
            likeliest**2,
            method="L-BFGS-B",
            bounds=[(0.0, WIDEST**2)] * len(self.widths),
            options={"ftol": 1e-12, "gtol": 1e-7},
        )
        ratios = np.sqrt(best.x)
        return ratios, bool(np.isfinite(best.fun)) and bool((ratios < WIDEST).all())

    def estimates(self, ratios: Array) -> tuple[Array, Array, float]:
        """Return the coefficients of x, their covariance, and the residual variance."""
        crossed, _ = self._solved(ratios)
        a, b = crossed[:-1, :-1], crossed[:-1, -1]
        means = np.linalg.solve(a, b)
        residual = float(crossed[-1, -1] - b @ means) / (self.n - self.rank)
        return np.asarray(means + self.about), np.asarray(residual * np.linalg.inv(a)), residual
