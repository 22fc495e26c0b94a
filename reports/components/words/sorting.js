/** Cells of tables: a sign stays with its word ("✓ pass"), and numbers in words ("12.3 % (9.0 to 16.1 %)", "< 0.001") sort by the number. No imports, so that tests read it as it is. */

// What follows a number may be a unit, an interval or nothing; "25–34", "2026-05-18" and "3B" are names.
const NUMBER = /^([<>]?)\s*([+−-]?)(\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?)(?![\w.:–−-])/;
// What stands where there is no number, such as "–" and "none drawn".
const WORDS_FOR_NONE = 2;
const JUST = 1 - 1e-9; // "< 0.001" is nearer to 0 than 0.001

/** The number that a text begins with, if it does. */
function leading(text) {
	const [, bound, sign, digits] = NUMBER.exec(text) ?? [];
	if (digits === undefined) return undefined;
	const size = Number(digits.replaceAll(',', '').replace('−', '-')) * (bound ? JUST : 1);
	return sign === '−' || sign === '-' ? -size : size;
}

/** A text whose sign stays in a line with the word after it, as in "✓ pass" and "< 0.001". */
export const together = (text) => text.replace(/^([^\p{L}\p{N}\s]) /u, '$1\u00a0');

/** A text that compares as its number; one without is before all numbers, as an empty cell is. */
class NumberInWords extends String {
	constructor(text) {
		super(together(text));
		this.number = leading(text) ?? -Infinity;
	}

	[Symbol.toPrimitive](hint) {
		return hint === 'number' ? this.number : this.toString();
	}
}

/** Rows whose columns of numbers in words compare by their numbers; of other texts only the sign is held. */
export function sortable(rows) {
	const all = Array.from(rows ?? []);
	const ofNumbers = new Set(Object.keys(all[0] ?? {}).filter((column) => isOfNumbers(all, column)));
	const cell = (column, value) => (typeof value !== 'string' ? value : ofNumbers.has(column) ? new NumberInWords(value) : together(value));
	const shown = all.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cell(column, value)])));
	const types = rows?._evidenceColumnTypes; // what Evidence knows of the query's columns
	return types ? Object.assign(shown, { _evidenceColumnTypes: types }) : shown;
}

function isOfNumbers(rows, column) {
	const others = new Set();
	let hasNumber = false;
	for (const { [column]: cell } of rows) {
		if (cell === null || cell === undefined || cell === '') continue;
		if (typeof cell !== 'string') return false;
		if (leading(cell) === undefined) others.add(cell);
		else hasNumber = true;
		if (others.size > WORDS_FOR_NONE) return false;
	}
	return hasNumber;
}
