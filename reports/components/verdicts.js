/** The five states of a verdict: a sign and a word each, so that no reader depends on colour (Okabe-Ito hues). */
export const STATES = [
	{ key: 'fail', sign: '✕', word: 'fail', background: '#c2410c', text: '#ffffff' },
	{ key: 'monitor', sign: '▲', word: 'monitor', background: '#f5c04d', text: '#3b2a00' },
	{ key: 'inconclusive', sign: '?', word: 'inconclusive', background: '#ffffff', text: '#374151' },
	{ key: 'pass', sign: '✓', word: 'pass', background: '#0072b2', text: '#ffffff' },
	{ key: 'not_applicable', sign: '–', word: 'not applicable', background: '#e5e7eb', text: '#374151' }
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
