/** Numbers as text. No imports, so that tests read it as it is. */

const TINY = 1e-9;
const BESIDE = 0.0005; // nearer than this to a limit, three decimals show the limit
const ROUNDING = 1e-12; // so far apart may lie two sums of the same numbers
const SINGLE = 7; // digits that a number of single precision has, too: pages load some so

/** Significant digits, halves up. What pages load in single and in double precision looks alike. */
const rounded = (size, digits) => (Number(size.toPrecision(SINGLE)) * (1 + ROUNDING)).toPrecision(digits);

/** Three significant digits, zeros kept, so that numbers in a column look alike. What is not 0 is not called so, but for rounding. */
export function show(value) {
	if (!Number.isFinite(value)) return '–';
	const size = Math.abs(value);
	if (size < ROUNDING) return '0';
	if (size < TINY) return value > 0 ? '<\u00a01e-9' : '>\u00a0−1e-9';
	const digits = size >= 1e4 ? Math.round(size).toLocaleString('en') : size >= 100 ? size.toFixed(0) : rounded(size, size < 0.001 ? 2 : 3);
	return value < 0 ? `−${digits}` : digits;
}

/** A number as `show`, with more decimals beside a limit, so that it does not look like it. */
export function apart(value, ...limits) {
	const isBeside = limits.some((limit) => Number.isFinite(limit) && Math.abs(value - limit) > TINY && Math.abs(value - limit) < BESIDE);
	return Number.isFinite(value) && isBeside && Math.abs(value) >= BESIDE ? value.toFixed(6).replace('-', '−') : show(value);
}

/** A p-value; beside the level of 0.05 with more decimals, so that it does not look like it. */
export function p(value) {
	if (!Number.isFinite(value)) return '–';
	return value < 0.001 ? '<\u00a00.001' : (value * (1 + ROUNDING)).toFixed(value !== 0.05 && Math.abs(value - 0.05) < BESIDE ? 6 : 3);
}
