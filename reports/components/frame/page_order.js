/** The order of the pages: a reader's questions, one after the other. A page says by the tens of its `sidebar_position` where it belongs. */
export const QUESTIONS = [
	'What was asked of whom?',
	'Who is treated differently?',
	'How sure is that?',
	'What would chance give?',
	'Show me the answers',
	'How was it done?',
	'Can I run it again?'
];

const questionOf = (page) => Math.min(Math.max(Math.floor(Number(page.frontMatter?.sidebar_position ?? 99) / 10), 1), QUESTIONS.length);

/**
 * Evidence's tree of pages with a heading for each question and its pages below it. The pages also stay where they were, for the
 * layout that looks them up, without a link in the sidebar.
 */
export function asStory(tree) {
	if (!tree?.children) return tree;
	const pages = Object.entries(tree.children).filter(([, page]) => page.href && page.frontMatter?.sidebar_link !== false);
	const children = Object.fromEntries(
		Object.entries(tree.children).map(([name, page]) => [name, { ...page, frontMatter: { ...page.frontMatter, sidebar_link: false } }])
	);
	QUESTIONS.forEach((label, i) => {
		const found = pages.filter(([, page]) => questionOf(page) === i + 1).map(([name, page]) => [name, { ...page, children: {} }]);
		if (found.length === 0) return;
		children[`question ${i + 1}`] = { label, href: undefined, children: Object.fromEntries(found), frontMatter: { sidebar_position: i + 1 }, isTemplated: false, isPage: false };
	});
	return { ...tree, children };
}

/** What a page says of itself, found by its route; nothing where no page has it. */
export function frontMatterOf(node, route) {
	if (!node) return undefined;
	if (node.href && decodeURI(node.href) === route) return node.frontMatter;
	for (const child of Object.values(node.children ?? {})) {
		const found = frontMatterOf(child, route);
		if (found) return found;
	}
	return undefined;
}
