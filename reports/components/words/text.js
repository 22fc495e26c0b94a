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
