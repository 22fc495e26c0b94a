import { plainNumber } from '$lib/words/text.js';

/** So many rows are shown; one more is asked for, to know whether there are more. */
export const MOST_ROWS = 500;
export const LONGEST_CELL = 300;
const MOST_BARS = 30;

/** A query that gives no more rows than can be shown. A comment at its end must not swallow what comes after. */
export const limited = (sql) => `select * from (\n${sql.replace(/[\s;]+$/, '')}\n) limit ${MOST_ROWS + 1}`;

/** The published files whose tables a query names. */
export function namesIn(sql, marts) {
	const named = new Set(sql.toLowerCase().match(/\b(?:fct|dim)_\w+/g) ?? []);
	return marts.filter(({ mart }) => named.has(mart));
}

/** A value as text. */
export function inCell(value) {
	if (value === null || value === undefined) return '–';
	if (typeof value === 'number') return plainNumber(value);
	const text = value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)) : String(value);
	return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
}

/** The first column of texts with the first of numbers as bars; nothing where the texts are not each another one, or there are too many. */
export function barsOf(rows, columns) {
	if (rows.length < 2 || rows.length > MOST_BARS) return undefined;
	const label = columns.find((column) => rows.every((row) => typeof row[column] === 'string'));
	const value = columns.find((column) => rows.every((row) => typeof row[column] === 'number' && row[column] >= 0));
	if (!label || !value || new Set(rows.map((row) => row[label])).size < rows.length) return undefined;
	const most = Math.max(...rows.map((row) => row[value])) || 1;
	return { label, value, rows: rows.map((row) => ({ label: inCell(row[label]), value: inCell(row[value]), part: (100 * row[value]) / most })) };
}
