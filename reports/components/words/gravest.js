/** Of a long list, the few rows that matter. No imports, so that tests read it as it is. */

const MOST = 20;
export const FEW = 12;

const far = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : -Infinity);

/** Rows in their order: all of a short list; of a long one the FEW whose `value` is `highest`, `lowest`, or farthest from the middle one (`ends`). */
export function fewGravest(rows, value, which) {
	if (!which || rows.length <= MOST) return rows;
	const values = rows.map((row) => row[value]).filter(Number.isFinite).sort((a, b) => a - b);
	const middle = values[Math.floor(values.length / 2)];
	const RANK = { highest: (x) => x, lowest: (x) => -x, ends: (x) => Math.abs(x - middle) };
	const rank = (row) => far(RANK[which](row[value] ?? NaN));
	const kept = new Set([...rows].sort((a, b) => rank(b) - rank(a)).slice(0, FEW));
	return rows.filter((row) => kept.has(row));
}
