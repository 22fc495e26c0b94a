/** Shares as a reader pictures them. No imports, so that tests read it as it is. */

/** A share as answers of 100: a whole number, but what is not all or nothing is not called so: 99.8. */
export function of100(share) {
	const whole = Math.round(100 * share);
	if (whole !== 0 && whole !== 100) return whole;
	return Number((whole + Number((100 * share - whole).toPrecision(1))).toFixed(6));
}

/** How far two shares lie apart: "22 points". It is the mart's number; where rounded shares differ by another, that is said. */
export function gapOf(high, low) {
	const points = of100(high - low);
	const isSum = Math.abs(of100(high) - of100(low) - points) < 1e-6;
	return `${points} ${points === 1 ? 'point' : 'points'}${isSum ? '' : ' before rounding'}`;
}
