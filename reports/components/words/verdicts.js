/** The five states of a verdict: a sign and a word each, so that no reader depends on colour (Okabe-Ito hues). */
export const STATES = [
	{ key: 'fail', sign: '✕', word: 'fail', background: 'var(--fail)', text: 'var(--fail-ink)' },
	{ key: 'monitor', sign: '▲', word: 'monitor', background: 'var(--monitor)', text: 'var(--monitor-ink)' },
	{ key: 'inconclusive', sign: '?', word: 'inconclusive', background: 'var(--inconclusive)', text: 'var(--inconclusive-ink)' },
	{ key: 'pass', sign: '✓', word: 'pass', background: 'var(--pass)', text: 'var(--pass-ink)' },
	{ key: 'not_applicable', sign: '–', word: 'not applicable', background: 'var(--not-applicable)', text: 'var(--not-applicable-ink)' }
];

export const stateOf = (key) => STATES.find((state) => state.key === key) ?? STATES.at(-1);

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
