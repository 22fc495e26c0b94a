/** Evidence's parts as keyboards and screen readers need them, where those parts take no property for it. */
const SORTABLE = 'th[role="columnheader"]';
const HEADINGS = 'h1, h2, h3, figcaption, summary';
const scrolling = new WeakSet();
const seen = new WeakSet();

function name(node, role, label) {
	node.setAttribute('role', role);
	node.setAttribute('aria-label', label);
}

/** The heading under which something stands. */
function headingOf(node) {
	const above = [...document.querySelectorAll(`article :is(${HEADINGS})`)].filter((heading) => heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
	return above.at(-1)?.innerText.trim() ?? 'this page';
}

function mendNavigation() {
	for (const list of document.querySelectorAll('aside:not([aria-label])')) list.setAttribute('role', 'none');
	for (const list of document.querySelectorAll('aside > div, #mobileScrollable')) {
		const isContents = list.querySelector('a[href^="#"]') !== null;
		name(list, 'navigation', isContents ? 'On this page' : 'Pages');
		for (const link of list.querySelectorAll('a[href^="/"]')) {
			if (link.pathname.replace(/\/$/, '') === location.pathname.replace(/\/$/, '')) link.setAttribute('aria-current', 'page');
			else link.removeAttribute('aria-current');
		}
	}
	// The sheet of pages on a phone: a button within a button, and a backdrop without a name.
	for (const outer of document.querySelectorAll('span[role="button"]:has(> button)')) outer.removeAttribute('role');
	for (const backdrop of document.querySelectorAll('div[role="button"][tabindex="-1"]:empty')) backdrop.setAttribute('aria-label', 'Close the list of pages');
}

function mendTables() {
	for (const head of document.querySelectorAll(SORTABLE)) if (head.style.cursor === 'pointer') head.tabIndex = 0;
	for (const link of document.querySelectorAll('tr.row-link a.sr-only')) {
		const cells = [...link.closest('tr').cells].slice(0, 2).map((cell) => cell.innerText.trim());
		link.setAttribute('aria-label', `See more: ${cells.filter(Boolean).join(', ')}`);
	}
	// On a phone a row is a list, and each cell says what its column's head says (theme.css).
	for (const table of document.querySelectorAll('.table-container table')) {
		const titles = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])].map((head) => head.innerText.trim());
		for (const cell of table.querySelectorAll('td:not(:has(a.sr-only))')) cell.dataset.title = titles[cell.cellIndex] ?? '';
	}
	for (const input of document.querySelectorAll('.page-input')) input.setAttribute('aria-label', 'Page of the table');
	for (const dialog of document.querySelectorAll('dialog')) {
		dialog.setAttribute('aria-label', 'The table alone');
		dialog.querySelector(':scope > button')?.setAttribute('aria-label', 'Close');
	}
	for (const button of document.querySelectorAll('article button:not([aria-label]):has(+ pre)')) button.setAttribute('aria-label', 'Copy');
	for (const button of document.querySelectorAll('button:has(> .marker)')) button.setAttribute('aria-expanded', String(button.querySelector('.rotate-marker') !== null));
}

/** What an element scrolls in, if it is part of the page and not the page. */
function boxOf(inner) {
	let outer = inner;
	while (outer && outer.id !== 'evidence-main-article' && !/auto|scroll/.test(getComputedStyle(outer).overflow)) outer = outer.parentElement;
	return outer?.id === 'evidence-main-article' ? undefined : outer;
}

/** Texts of a table wrap where its last columns would be cut (theme.css): before it is first drawn, so that nothing jumps. */
function wrapCut() {
	for (const table of document.querySelectorAll('article .table-container table:not([data-tight])')) {
		const box = boxOf(table);
		if (box && box.scrollWidth > box.clientWidth + 1) table.toggleAttribute('data-tight', true);
	}
}

/** Marks what has more to the right, so that the cut is seen (theme.css). */
function showCut(outer) {
	outer.toggleAttribute('data-more', outer.scrollLeft + outer.clientWidth < outer.scrollWidth - 2);
}

/** What scrolls by itself can be reached and scrolled by keys. `watch`: called with what may come to scroll, or cease to. */
function mendScrolling(watch) {
	for (const inner of document.querySelectorAll('article :is(table, pre)')) {
		const outer = boxOf(inner);
		if (!outer) continue;
		if (!seen.has(outer)) outer.addEventListener('scroll', () => showCut(outer), { passive: true });
		seen.add(outer);
		watch(inner);
		watch(outer);
		showCut(outer);
		if (outer.scrollWidth > outer.clientWidth + 1 || outer.scrollHeight > outer.clientHeight + 1) {
			outer.tabIndex = 0;
			name(outer, 'region', `${inner.tagName === 'PRE' ? 'Text' : 'Table'}: ${inner.querySelector('caption')?.innerText.trim() ?? headingOf(outer)}`);
			scrolling.add(outer);
		} else if (scrolling.delete(outer)) {
			for (const attribute of ['tabindex', 'role', 'aria-label']) outer.removeAttribute(attribute);
		}
	}
}

function sortByKey(event) {
	if ((event.key !== 'Enter' && event.key !== ' ') || !event.target.matches?.(SORTABLE)) return;
	event.preventDefault();
	event.target.click();
}

/** Evidence shows a table's buttons under the pointer only: keys within the table do as much. */
function showButtons(event) {
	const [from, to] = [event.relatedTarget, event.target].map((node) => node?.closest?.('.table-container'));
	if (from === to) return;
	from?.dispatchEvent(new MouseEvent('mouseleave'));
	to?.dispatchEvent(new MouseEvent('mouseenter'));
}

/** Mend the page now and whenever it changes; returns how to stop. */
export function mend() {
	let waiting;
	const watched = new WeakSet();
	const sizes = new ResizeObserver(() => soon());
	const watch = (node) => {
		if (!watched.has(node)) sizes.observe(node);
		watched.add(node);
	};
	const all = () => {
		waiting = undefined;
		mendNavigation();
		mendTables();
		wrapCut();
		mendScrolling(watch);
	};
	const soon = () => (waiting ??= setTimeout(all, 50));
	const observer = new MutationObserver(() => {
		wrapCut();
		soon();
	});
	observer.observe(document.body, { childList: true, subtree: true });
	addEventListener('resize', soon);
	addEventListener('keydown', sortByKey);
	addEventListener('focusin', showButtons);
	all();
	return () => {
		clearTimeout(waiting);
		observer.disconnect();
		sizes.disconnect();
		removeEventListener('resize', soon);
		removeEventListener('keydown', sortByKey);
		removeEventListener('focusin', showButtons);
	};
}
