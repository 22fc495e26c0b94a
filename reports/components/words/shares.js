/** Shares as a reader pictures them. No imports, so that tests read it as it is. */

/** A share as answers of 100: a whole number, but what is not all or nothing is not called so: 99.8. */
export function of100(share) {
	const whole = Math.round(100 * share);
	if (whole !== 0 && whole !== 100) return whole;
	// No -0.
	return Number((whole + Number((100 * share - whole).toPrecision(1))).toFixed(6)) + 0;
}

/** A share in per cent with `decimals`, and as `of100` where these would call it all or nothing: 0.04, 99.97. */
export function perCent(share, decimals = 1) {
	const text = (100 * share).toFixed(decimals).replace(/^-(?=[0.]+$)/, '');
	const isEnd = Number(text) === 0 || Number(text) === 100;
	return (isEnd && of100(share) !== Number(text) ? String(of100(share)) : text).replace('-', '−');
}

/** How far two shares lie apart: "22 points". It is the mart's number; where rounded shares differ by another, that is said. */
export function gapOf(high, low) {
	const points = of100(high - low);
	const isSum = Math.abs(of100(high) - of100(low) - points) < 1e-6;
	return `${points} ${points === 1 ? 'point' : 'points'}${isSum ? '' : ' before rounding'}`;
}
