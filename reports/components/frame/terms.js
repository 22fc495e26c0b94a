/** Where no term is marked: others' words, code, what is a link or a control already, and headings. */
export const LEFT_OUT = 'a, button, label, select, textarea, code, pre, h1, h2, h3, h4, summary, blockquote, .prompt, .term, .word-list, [role="img"], [aria-hidden="true"], svg, canvas, script, style, nav, th, .sources, .filters';
const WAIT = 150;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What finds a term in a text. A term of one letter, or with a capital, is found as it is written. */
function finder(terms) {
	const forms = new Map();
	for (const { term, forms: others } of terms) for (const form of [term, ...others.split(';')].filter(Boolean)) forms.set(form, term);
	const known = [...forms.keys()].sort((a, b) => b.length - a.length);
	const lower = new Map(known.map((form) => [form.toLowerCase(), form]));
	const isExact = (form) => form.length === 1 || form !== form.toLowerCase();
	const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${known.map(escaped).join('|')})(?![\\p{L}\\p{N}_-])`, 'giu');
	return (text) =>
		[...text.matchAll(pattern)].flatMap((match) => {
			const form = lower.get(match[0].toLowerCase());
			return isExact(form) && form !== match[0] ? [] : [{ term: forms.get(form), start: match.index, end: match.index + match[0].length }];
		});
}

/**
 * Mark each term where it first stands in `root`. A page's text is its components': they write into the text nodes that they
 * made. So a node that was split is put together again as soon as somebody else touches it, and then all is marked anew.
 * `idOf` gives the element that says what a term means. Returns what stops it.
 */
export function markTerms(root, terms, idOf) {
	if (terms.length === 0) return () => undefined;
	const find = finder(terms);
	/** Text node → the text it had, and what now stands behind it. */
	const split = new Map();
	let timer;

	function mend(node, isOurs) {
		const { text, behind } = split.get(node);
		split.delete(node);
		for (const one of behind) one.remove();
		if (isOurs) node.data = text;
	}

	function mark() {
		observer.disconnect();
		for (const node of split.keys()) if (!node.isConnected) split.delete(node);
		const explained = new Set([...root.querySelectorAll('dfn.term')].map((node) => node.dataset.term));
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		const texts = [];
		while (walker.nextNode()) if (/\p{L}/u.test(walker.currentNode.data)) texts.push(walker.currentNode);
		for (const node of texts) {
			if (explained.size === terms.length) break;
			const found = find(node.data).filter(({ term }) => !explained.has(term));
			if (found.length === 0 || node.parentElement.closest(LEFT_OUT)) continue;
			const text = node.data;
			const firsts = found.filter(({ term }, i) => found.findIndex((one) => one.term === term) === i);
			const behind = firsts.flatMap(({ term, start, end }, i) => {
				explained.add(term);
				const marked = document.createElement('dfn');
				Object.assign(marked, { className: 'term', tabIndex: 0, textContent: text.slice(start, end) });
				marked.dataset.term = term;
				marked.setAttribute('aria-describedby', idOf(term));
				return [marked, document.createTextNode(text.slice(end, firsts[i + 1]?.start))];
			});
			node.data = text.slice(0, firsts[0].start);
			node.after(...behind);
			split.set(node, { text, behind });
		}
		observer.observe(root, { childList: true, characterData: true, subtree: true });
	}

	const observer = new MutationObserver((changes) => {
		observer.disconnect();
		for (const { type, target, removedNodes } of changes) {
			if (type === 'characterData' && split.has(target)) mend(target, false);
			for (const node of removedNodes) if (split.has(node)) mend(node, true);
		}
		observer.observe(root, { childList: true, characterData: true, subtree: true });
		clearTimeout(timer);
		timer = setTimeout(mark, WAIT);
	});
	mark();

	return () => {
		clearTimeout(timer);
		observer.disconnect();
		for (const node of [...split.keys()]) mend(node, true);
	};
}
