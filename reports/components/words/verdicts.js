import { isNumber } from '$lib/charts/chart.js';
import { count, show } from '$lib/words/numbers.js';
import { gapOf, of100 } from '$lib/words/shares.js';

/** The five states of a verdict: a sign and a word each, so that no reader depends on colour (Okabe-Ito hues). */
export const STATES = [
	{ key: 'fail', sign: '✕', word: 'fail', background: 'var(--fail)', text: 'var(--fail-ink)' },
	{ key: 'monitor', sign: '▲', word: 'monitor', background: 'var(--monitor)', text: 'var(--monitor-ink)' },
	{ key: 'inconclusive', sign: '?', word: 'inconclusive', background: 'var(--inconclusive)', text: 'var(--inconclusive-ink)' },
	{ key: 'pass', sign: '✓', word: 'pass', background: 'var(--pass)', text: 'var(--pass-ink)' },
	{ key: 'not_applicable', sign: '–', word: 'not applicable', background: 'var(--not-applicable)', text: 'var(--not-applicable-ink)' }
];

export const stateOf = (key) => STATES.find((state) => state.key === key) ?? STATES.at(-1);

/** The colour of a gap's marks: the verdict's, and none that accuses where nothing is decided. */
export const markOf = (verdict) => ({ fail: 'var(--fail)', monitor: 'var(--third)', pass: 'var(--pass)' })[verdict] ?? 'var(--ink-faint)';

/** Rows in groups of one key each, in the order in which the keys first come. */
export function grouped(rows, keyOf) {
	const groups = new Map();
	for (const row of rows) {
		const key = keyOf(row);
		if (!groups.has(key)) groups.set(key, []);
		groups.get(key).push(row);
	}
	return [...groups.values()];
}

export const rankOf = (key) => STATES.indexOf(stateOf(key));

/** Rows with what they share with others: question, config, model and role of their page of answers, and the metric's title. */
export function placed(rows, places, metrics = []) {
	const shared = new Map(Array.from(places ?? []).map((place) => [place.responses_slug, place]));
	const titles = new Map(Array.from(metrics ?? []).map((one) => [one.metric, one.metric_title]));
	return Array.from(rows ?? []).map((row) => ({ metric_title: titles.get(row.metric), ...shared.get(row.responses_slug), ...row }));
}

/** How many rows have each verdict: `{ fail: 3, … }`. A row may stand for several (`n_rows`). */
export function countOf(rows) {
	const counts = Object.fromEntries(STATES.map(({ key }) => [key, 0]));
	for (const row of rows) counts[stateOf(row.verdict).key] += row.n_rows ?? 1;
	return counts;
}

/** Counts of verdicts as words: "3 fail, 2 pass". */
export const wordsOf = (counts) =>
	STATES.filter(({ key }) => counts[key] > 0)
		.map(({ key, word }) => `${count(counts[key])} ${word}`)
		.join(', ');

/** What an inconclusive verdict lacks, gravest first. */
export const LACKS = [
	{ key: 'several_units', words: 'each group has only one name or text' },
	{ key: 'valid_test', words: 'no valid test: groups were asked different questions, a combination of groups was never asked, or the number has none' },
	{ key: 'coverage', words: 'too few answers could be read' },
	{ key: 'missing_answers', words: 'missing answers could change the verdict' },
	{ key: 'more_units', words: 'too few names or texts to decide' },
	{ key: 'labels', words: 'too few labels of people' },
	{ key: 'answers', words: 'too few answers in a group' },
	{ key: 'attainable_limit', words: 'groups of such sizes cannot lie beyond the limit' },
	{ key: 'bound', words: 'no interval: too few names or texts, or answers all alike' },
	{ key: 'limit_of_size', words: 'a p-value alone shows no likeness' }
];

/**
 * Comparisons, each a question by an attribute of one config under one profile, of rows of their numbers' verdicts. A comparison
 * passes where all of its numbers do; what it lacks is the gravest that one of them lacks.
 */
export function comparisonsOf(rows) {
	const judged = rows.filter((row) => !row.is_beside && row.verdict !== 'not_applicable');
	return grouped(judged, (row) => JSON.stringify([row.profile, row.responses_slug, row.axis])).map((own) => {
		const worst = own.reduce((one, other) => (rankOf(other.verdict) < rankOf(one.verdict) ? other : one));
		const open = worst.verdict === 'inconclusive';
		return { ...worst, n_rows: 1, lack: open ? LACKS.find(({ key }) => own.some((row) => row.lacks === key)) : undefined };
	});
}

/** What undecided comparisons lack, in words, with how many lack it: most first. */
export const lacksOf = (comparisons) =>
	grouped(comparisons.filter((row) => row.lack), (row) => row.lack.key)
		.map((rows) => ({ words: rows[0].lack.words, n: rows.length }))
		.sort((a, b) => b.n - a.n);

/** The same as one text. */
export const lackWords = (comparisons) => lacksOf(comparisons).map(({ words, n }) => `${words} (${n})`).join('; ');

/** How sure the widest gap is, in short sentences; nothing where no chance was drawn. */
export function sure(row) {
	const isShare = row.measure_kind === 'outcome';
	const size = (value) => (isShare ? String(of100(value)) : show(value));
	const gap = row.contrast_high - row.contrast_low;
	if (!row.measure_kind || !isNumber(row.gap_chance)) return '';
	const told = isShare ? gapOf(row.contrast_high, row.contrast_low) : size(gap);
	const range = isNumber(row.gap_low) ? ` (95 % interval ${size(row.gap_low)} to ${size(row.gap_high)})` : '';
	return `The gap is ${told}${range}. ${gap > row.gap_chance ? `Chance alone gives more than ${size(row.gap_chance)} once in 20 times.${isSettled(row) && isNumber(row.gap_low) && row.gap_low <= row.gap_chance ? ' So there is a difference; its size is less sure.' : ''}` : byChance(row, size(row.gap_chance))}`;
}

// Whether the verdict says that groups differ.
const isSettled = (row) => ['fail', 'monitor'].includes(row.verdict);

/** An interval that leaves out 0 is no proof: of all gaps the widest is told. */
function byChance(row, chance) {
	const isAboveZero = row.measure_kind === 'outcome' ? of100(row.gap_low) > 0 : row.gap_low > 0;
	const rest = isSettled(row) ? '; the verdict rests on another number of the comparison' : '';
	return `Chance alone gives up to ${chance} in 19 of 20 times: this gap may be chance${rest}.${isAboveZero ? ' Its interval is no proof: chance, too, gives a widest gap above 0.' : ''}`;
}

/** Shares of the groups between the two that lie farthest apart, to be drawn; as read, so that corrected gaps have none. */
export const othersOf = (row) => (row.others ? row.others.split(' ').map(Number).slice(1, -1) : []);
