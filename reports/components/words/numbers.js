import { isNumber } from '$lib/charts/chart.js';
import { apart, p, show } from '$lib/words/digits.js';
import { words } from '$lib/words/names.js';
import { perCent } from '$lib/words/shares.js';

export { apart, p, perCent, show, words };

/** Values as they came, and less the value of the prompt's baseline text. */
const CALIBRATIONS = [
	{ key: 'none', title: 'Raw', word: 'raw' },
	{ key: 'baseline', title: 'Calibrated', word: 'calibrated' }
];

export const count = (n) => Number(n ?? 0).toLocaleString('en');
/** A mean of counts: whole where it is, or large. */
export const countOrMean = (n) => (Number.isInteger(n) || n >= 999.5 ? count(Math.round(n)) : show(n));
export const many = (n, word) => `${count(n)} ${word}${Number(n) === 1 ? '' : 's'}`;
export const interval = (low, high, otherwise = 'none drawn') => (isNumber(low) && isNumber(high) ? `${show(low)} to ${show(high)}` : otherwise);
/** A value with its interval in brackets. */
export const within = (value, low, high) => (isNumber(value) ? `${show(value)}${isNumber(low) && isNumber(high) ? ` (${show(low)} to ${show(high)})` : ''}` : '–');
/** The same in a table's column that is sorted by its number, of numbers from 0 up. */
export const SIZES = '[=0]0.000;[<0.0005]0.000000;0.000';
/** How far something moves, with its sign: as `show`, and of shares in points. */
export const signed = (value, isShare = false) => (isNumber(value) ? `${value > 0 ? '+' : ''}${isShare ? perCent(value) : show(value)}` : '–');
/** How far a share lies from another, in points, with its interval in brackets. */
export const points = (value, low, high, gap = ' ') => `${signed(value, true)}${isNumber(low) && isNumber(high) ? `${gap}(${signed(low, true)} to ${signed(high, true)})` : ''}`;
/** A share with its interval in brackets, in per cent. */
export const perCentWithin = (value, low, high, decimals = 1) => {
	const said = (share) => perCent(share, decimals);
	return isNumber(value) ? `${said(value)}\u00a0%${isNumber(low) && isNumber(high) ? ` (${said(low)} to ${said(high)})` : ''}` : '–';
};
/** Rows of a table whose columns of shares are written as everywhere: Evidence's formats have no space before %. */
export const inPerCent = (rows, columns, decimals = 1) => Array.from(rows ?? [], (row) => ({ ...row, ...Object.fromEntries(columns.map((column) => [column, isNumber(row[column]) ? `${perCent(row[column], decimals)}\u00a0%` : '–'])) }));
/** Options as text, their numbers as a person writes them: 0.56, where 0.7 × 0.8 is 0.5599999999999999. */
export const tidy = (text) => String(text ?? '').replace(/\d+\.\d{9,}/g, (digits) => String(Number(Number(digits).toPrecision(9))));

export const calibrationWord = (key) => CALIBRATIONS.find((calibration) => calibration.key === key).word;

/** Only what has rows is worth a choice. */
export const calibrationsOf = (rows) => CALIBRATIONS.filter(({ key }) => rows.some((row) => row.calibration === key));

/** The baseline's differences between groups come from the scorer and the prompts, not from a model (SPEC CAL-2). */
export const labelOf = (row) => (row.is_baseline ? 'baseline (tool bias)' : row.config);

/** Rows as options of a choice, in the order in which their keys first come. */
export const optionsOf = (rows, key, title = key) => [...new Map(rows.map((row) => [key(row), { key: key(row), title: title(row) }])).values()];

/** As many decimals as the differences between values need. */
export function decimals(values) {
	const known = values.filter(isNumber);
	const spread = Math.max(...known) - Math.min(...known);
	return spread > 0.05 || spread <= 0 || known.length === 0 ? 2 : spread > 0.005 ? 3 : 4;
}

export const extremes = (rows, column) => {
	const known = rows.filter((row) => isNumber(row[column])).sort((a, b) => a[column] - b[column]);
	return known.length === 0 ? undefined : { low: known[0], high: known.at(-1), known };
};

/** A column of names wraps where they are long. */
export const isLong = (rows, column) => rows.some((row) => String(row[column]).length > 24);

/** The option chosen, or the first where it is none of them. */
export const valid = (options, key) => (options.some((option) => option.key === key) ? key : options[0]?.key);
