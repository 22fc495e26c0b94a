/** The sentence of a verdict's widest gap in parts. No imports, so that tests read it as it is. */

// Names from right to left are isolated by their element.
const ISOLATES = /[\u2068\u2069]/g;

/** Text before, between and behind the names that `contrast_sentence` has in this order: `kind` is high, outcome or low. */
export function partsOf(row) {
	let rest = row.contrast_sentence.replace(ISOLATES, '').replaceAll(' %', '\u00a0%');
	const names = [
		['high', 'about ', row.group_high],
		['outcome', 'as ', String(row.contrast_outcome).replaceAll('_', ' ')],
		['low', 'about ', row.group_low]
	];
	const parts = [];
	for (const [kind, before, name] of names) {
		const at = rest.indexOf(before + name) + before.length;
		parts.push({ text: rest.slice(0, at) }, { kind, text: name });
		rest = rest.slice(at + name.length);
	}
	return [...parts, { text: rest }];
}
