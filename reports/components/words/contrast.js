/** The sentence of a verdict's widest gap in parts. No imports, so that tests read it as it is. */

// Names from right to left are isolated by their element.
const ISOLATES = /[\u2068\u2069]/g;

/** Text before, between and behind the names that `contrast_sentence` has in this order: `kind` is high, outcome or low. */
export function partsOf(row) {
	const sentence = row.contrast_sentence.replace(ISOLATES, '').replaceAll(' %', '\u00a0%');
	const names = [
		['high', 'about ', row.group_high],
		['outcome', row.measure === 'recommended items' ? 'named ' : 'as ', String(row.contrast_outcome).replaceAll('_', ' ')],
		['low', 'about ', row.group_low]
	];
	const parts = [];
	let end = 0;
	for (const [kind, before, name] of names) {
		const found = sentence.indexOf(before + name, end);
		// A request that brings an answer has no outcome's name.
		if (found < 0 && kind === 'outcome') continue;
		if (found < 0) return [{ text: sentence }];
		const start = found + before.length;
		parts.push({ text: sentence.slice(end, start) }, { kind, text: name });
		end = start + name.length;
	}
	return [...parts, { text: sentence.slice(end) }];
}
