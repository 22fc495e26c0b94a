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
