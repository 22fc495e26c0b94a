/** What a reader typed, as the words that a text must hold, in any order; letters of any case. */
const wordsOf = (wanted) => wanted.toLowerCase().split(/\s+/).filter(Boolean);

/** A function that says whether texts together hold every word of `wanted`. */
export function matcher(wanted) {
	const words = wordsOf(wanted);
	return (...texts) => {
		if (words.length === 0) return true;
		const text = texts.join('\n').toLowerCase();
		return words.every((word) => text.includes(word));
	};
}

/** A text in pieces, those that were wanted marked: [{ text, isMarked }]. */
export function pieces(text, wanted) {
	const words = wordsOf(wanted);
	if (words.length === 0) return [{ text, isMarked: false }];
	const literal = words.sort((a, b) => b.length - a.length).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return text
		.split(new RegExp(`(${literal.join('|')})`, 'gi'))
		.map((piece, i) => ({ text: piece, isMarked: i % 2 === 1 }))
		.filter((piece) => piece.text);
}
