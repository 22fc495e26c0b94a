/** A description or a number of the project's own files, as a reader wants it: no backticks, a true minus, commas. */
export const plain = (text) => String(text ?? '').replaceAll('`', '');
export const plainNumber = (value) => Number(value).toLocaleString('en', { maximumFractionDigits: 6 }).replace('-', '−');
/** The longest text, in characters, that the report's tables keep. */
export const LONGEST = 1000;
export const isCut = (text) => (text ?? '').length >= LONGEST && [...text].length >= LONGEST;
/** What a scorer or source is pinned by: a hash, tag or file is its revision, a citation a reference. */
export const revisionWord = (revision) => (/\s/.test(revision ?? '') && revision !== 'not recorded' ? 'Reference' : 'Revision');
/** A sentence with more than `most` of these names in a row counts them. */
export function briefly(sentence, names, word, most = 4) {
	const name = [...names].sort((a, b) => b.length - a.length).map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
	if (!name) return sentence;
	const list = new RegExp(`(?:${name})(?:, (?:${name})){${most},}(?=[:.;]|$)`, 'g');
	return sentence.replace(list, (found) => `${found.match(new RegExp(`(?:${name})(?=, |$)`, 'g')).length} ${word}`);
}
/** A name for a sentence: one from right to left is set apart by Unicode's isolates, so that numbers keep their places. */
export const isolated = (name) => (/[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/.test(name ?? '') ? `\u2068${name}\u2069` : name);
const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60]|\p{Extended_Pictographic}/u;
const lettersOf = (sign) => (WIDE.test(sign) ? 2 : 1);
/** How wide a text is, in letters of middle width: a sign of Chinese, Japanese or Korean is as wide as two. */
export const letters = (text) => [...text].reduce((sum, sign) => sum + lettersOf(sign), 0);
/** A text of at most so many letters: a longer one is cut, and ends in an ellipsis. */
export function shortened(text, most) {
	if (letters(text) <= most) return text;
	let [kept, room] = ['', most - 1];
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		room -= letters(segment);
		if (room < 0) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}
