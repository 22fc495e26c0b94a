// node tests/site.mjs FOLDER [--scan] [--page PATH]...: open the pages of a built site in Chromium and print, as JSON, what each did.
// Every page is opened at desktop width. Pages of one kind (/category/a/, /category/b/ …) differ in their rows alone: the first and the
// last of a kind are opened at phone width too. With --scan, axe looks in the first of a kind for what keeps readers out, and at desktop
// width once more at the colours in the dark; there the pointer, too, moves over charts. FOLDER is served on a loopback port;
// --page replaces the list of all pages.
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LEFT_OUT } from '../components/frame/terms.js';
import { launch, serve, watch } from './browser.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { scan: { type: 'boolean' }, page: { type: 'string', multiple: true } } });
const root = resolve(positionals[0] ?? 'build');
const WIDTHS = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
// Above this browsers' makers call a shift in need of improvement.
const MOST_SHIFT = 0.1;
const OF_MANY_WORDS = ['/', '/intersections/'];
// What a narrow window can change of what axe looks at: names, roles and colours are the same at every width.
const OF_THE_WIDTH = ['image-alt', 'scrollable-region-focusable', 'target-size', 'button-name', 'link-name', 'heading-order', 'meta-viewport', 'region'];
const AXE = values.scan ? readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8') : undefined;

const pagesIn = (folder, path = '/') =>
	readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		// dbt's documentation is a page of dbt's own.
		if (entry.isDirectory()) return entry.name.startsWith('_') || (path === '/' && entry.name === 'dbt') ? [] : pagesIn(join(folder, entry.name), `${path}${entry.name}/`);
		return entry.name === 'index.html' ? [path] : [];
	});

/** Of sorted paths, the first page of each kind, and the first and the last. */
function ends(paths) {
	const kind = (path) => path?.replace(/^(\/[^/]+\/).+/, '$1*');
	const [first, last] = [-1, 1].map((step) => paths.filter((path, i) => kind(paths[i + step]) !== kind(path)));
	return { first: new Set(first), ends: new Set([...first, ...last]) };
}

/** Move over the first and the last chart: those between differ in their rows alone. */
async function hover(page) {
	const tips = new Set();
	const charts = await page.locator('canvas').all();
	for (const canvas of new Set([charts[0], charts.at(-1)].filter(Boolean))) {
		await canvas.scrollIntoViewIfNeeded();
		const box = await canvas.boundingBox();
		if (!box) continue;
		for (let y = box.y + 12; y < box.y + box.height - 4; y += Math.max(24, box.height / 6)) {
			for (const part of [0.35, 0.7]) {
				await page.mouse.move(box.x + part * box.width, y);
				const text = await canvas.evaluate((node) => node.parentElement.parentElement.innerText.trim());
				if (text) tips.add(text);
			}
		}
	}
	await page.mouse.move(2, 2);
	return [...tips];
}

/** Wait until the page's scripts run (mend.js names the lists of links), then until nothing has changed for a while: answers of the database come after the last request. */
async function settle(page) {
	await page.waitForFunction(() => !document.querySelector('main') || document.querySelector('[role="navigation"]'), undefined, { timeout: 20000 }).catch(() => undefined);
	await page.evaluate(
		() =>
			new Promise((done) => {
				let last = setTimeout(done, 200);
				const again = () => {
					clearTimeout(last);
					last = setTimeout(done, 200);
				};
				new MutationObserver(again).observe(document, { attributes: true, childList: true, subtree: true });
				setTimeout(done, 5000);
			})
	);
}

/** What axe finds serious or critical, one line a rule and element. What a second look no longer finds was a page half drawn. */
async function scan(page, options) {
	const look = () =>
		page.evaluate(async (options) => (await window.axe.run({ resultTypes: ['violations'], ...options })).violations.filter(({ impact }) => impact === 'serious' || impact === 'critical'), options);
	let violations = await look();
	if (violations.length > 0) {
		await page.waitForTimeout(1000);
		await settle(page);
		violations = await look();
	}
	return violations.flatMap(({ id, impact, nodes }) => nodes.slice(0, 5).map((node) => `axe ${id} (${impact}), ${nodes.length} times: ${node.target.join(' ')}: ${node.failureSummary.replace(/\s+/g, ' ')}`));
}

/** In the dark only colours are others. */
async function scanInTheDark(page) {
	const light = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
	await page.emulateMedia({ colorScheme: 'dark' });
	const turned = await page.waitForFunction((before) => getComputedStyle(document.documentElement).backgroundColor !== before, light, { timeout: 30000 }).catch(() => undefined);
	if (!turned) return ['the page does not turn dark'];
	return (await scan(page, { runOnly: ['color-contrast', 'link-in-text-block'] })).map((problem) => `in the dark: ${problem}`);
}

/** What a reader chooses against the system, here dark, holds at once and after a reload. In a browser context of its own: it is kept. */
async function chooseLight(browser, origin) {
	const page = await (await browser.newContext({ viewport: WIDTHS.desktop, colorScheme: 'dark' })).newPage();
	await page.goto(`${origin}/`, { waitUntil: 'networkidle' });
	await settle(page);
	const choice = page.locator('label:has-text("Colours") select');
	const isLight = () => page.evaluate(() => document.documentElement.dataset.appearance === 'light');
	const problems = [];
	if ((await choice.count()) !== 1) problems.push('no choice of colours');
	else {
		await choice.selectOption('light');
		if (!(await isLight())) problems.push('the choice of colours changes nothing');
		await page.reload({ waitUntil: 'networkidle' });
		await settle(page);
		if (!(await isLight()) || (await choice.inputValue()) !== 'light') problems.push('the choice of colours is forgotten');
	}
	await page.context().close();
	return problems;
}

/** Go by keys past what all pages share, then through the first parts of the page's own: each is seen to have the focus. */
async function walk(page) {
	const step = async (key) => {
		await page.keyboard.press(key);
		return page.evaluate(() => {
			const node = document.activeElement;
			const shown = node.closest('tr.row-link') ?? node;
			const [{ width, height }, { outlineStyle, outlineWidth }] = [shown.getBoundingClientRect(), getComputedStyle(shown)];
			return { id: node.id, hash: node.hash, isBody: node === document.body, what: node.outerHTML.slice(0, 80), isSeen: width > 1 && height > 1 && outlineStyle !== 'none' && outlineWidth !== '0px' };
		});
	};
	const problems = [];
	if ((await step('Tab')).hash !== '#content' || (await step('Enter')).id !== 'content') problems.push('the first thing that Tab reaches does not lead to the content');
	for (let count = 0; count < 12; count++) {
		const reached = await step('Tab');
		if (reached.isBody) break;
		if (!reached.isSeen) problems.push(`the focus cannot be seen on ${reached.what}`);
	}
	return problems;
}

/** How far what was drawn has moved by itself, as browsers count it (layout shift: share of the window that moved times how far). */
function countShifts() {
	window.shifted = 0;
	new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shifted += entry.hadRecentInput ? 0 : entry.value))).observe({ type: 'layout-shift', buffered: true });
}

/** Open a page; say if it moves by itself meanwhile. */
async function open(page, url, most = MOST_SHIFT) {
	await page.goto(url, { waitUntil: 'networkidle' });
	await page.evaluate(() => document.fonts.ready);
	const shifted = await page.evaluate(() => window.shifted);
	return shifted > most ? [`what is shown jumps: layout shift ${shifted.toFixed(2)}`] : [];
}

/** On a slow line the font comes after the text, which must not move for it. */
async function openWithLateFont(context, origin, path) {
	const page = await context.newPage();
	await page.route(/[.]woff2$/, async (route) => {
		await new Promise((done) => setTimeout(done, 500));
		await route.continue();
	});
	const problems = await open(page, origin + path, MOST_SHIFT / 10);
	await page.close();
	return problems.map((problem) => `font late: ${problem}`);
}

async function visit(context, origin, path, { isDesktop, isScanned }) {
	const page = await context.newPage();
	const problems = watch(page, origin);
	problems.push(...(await open(page, origin + path)));
	if (!isDesktop && OF_MANY_WORDS.includes(path)) problems.push(...(await openWithLateFont(context, origin, path)));
	const tips = isScanned && isDesktop ? await hover(page) : [];
	if (isScanned) {
		await settle(page);
		await page.evaluate(AXE);
		problems.push(...(await scan(page, isDesktop ? {} : { runOnly: OF_THE_WIDTH })));
		if (isDesktop) problems.push(...(await scanInTheDark(page)), ...(await walk(page)));
	}
	// A page marks its terms anew a moment after anything in it has changed.
	if (!isScanned) await settle(page);
	const seen = await page.evaluate((leftOut) => ({
		title: document.title,
		text: document.body.innerText,
		wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
		hasBanner: document.querySelector('p.simulated[role=note]') !== null,
		hasPolicy: document.querySelector('meta[http-equiv="content-security-policy"]') !== null,
		cutCharts: [...document.querySelectorAll('canvas')].filter((canvas) => {
			let outer = canvas.parentElement;
			while (outer && getComputedStyle(outer).overflowX === 'visible') outer = outer.parentElement;
			const edge = Math.min(document.documentElement.clientWidth, outer ? outer.getBoundingClientRect().right : Infinity);
			return canvas.getBoundingClientRect().right > edge + 1;
		}).length,
		// A column's name that reaches the upper edge of a map goes on beyond it.
		inkedEdges: [...document.querySelectorAll('canvas')].filter(({ width, height }) => width > 0 && height > 0).filter((canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, 1).data.some((part, i) => i % 4 === 3 && part > 0)).length,
		// What a reader reads, without others' words, code, headings and what leads elsewhere: there no term is explained.
		prose: ((content) => {
			if (!content) return '';
			const copy = content.cloneNode(true);
			for (const marked of copy.querySelectorAll('dfn.term')) marked.replaceWith(marked.textContent);
			copy.normalize();
			const [walker, texts] = [document.createTreeWalker(copy, NodeFilter.SHOW_TEXT), []];
			while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(leftOut)) texts.push(walker.currentNode.data);
			return texts.join(' ');
		})(document.querySelector('#content')),
		explained: [...document.querySelectorAll('dfn.term')].map((node) => node.dataset.term),
		nTitles: document.querySelectorAll('h1').length,
		nUnnamed: [...document.querySelectorAll('canvas')].filter((canvas) => !canvas.closest('[role="img"][aria-label]')).length,
		errors: [...document.querySelectorAll('.bg-red-50')].map((box) => box.innerText.trim()),
		injected: [...document.querySelectorAll('img[src="x"], script')].filter((node) => node.tagName === 'IMG' || node.text.includes('alert(')).length
	}), LEFT_OUT.replace('.term, ', ''));
	for (const text of seen.errors) problems.push(`a component failed: ${text}`);
	if (seen.injected > 0) problems.push(`${seen.injected} elements came out of data`);
	if (AXE && seen.nTitles !== 1) problems.push(`${seen.nTitles} first headings`);
	if (seen.nUnnamed > 0) problems.push(`${seen.nUnnamed} charts without a sentence that says what they show`);
	if (seen.wide > 0) problems.push(`${seen.wide} px wider than the window`);
	if (seen.cutCharts > 0) problems.push(`${seen.cutCharts} charts wider than what holds them`);
	if (seen.inkedEdges > 0) problems.push(`${seen.inkedEdges} charts cut what they draw`);
	await page.close();
	return { ...seen, tips, problems };
}

const { server, origin } = await serve(root);
const browser = await launch();
const visits = [];
try {
	const all = values.page ?? pagesIn(root).sort();
	const { first, ends: few } = values.page ? { first: new Set(all), ends: new Set(all) } : ends(all);
	for (const [width, viewport] of Object.entries(WIDTHS)) {
		const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
		await context.addInitScript(countShifts);
		const isDesktop = width === 'desktop';
		const paths = all.filter((path) => isDesktop || few.has(path));
		const work = async () => {
			for (let path = paths.shift(); path !== undefined; path = paths.shift()) visits.push({ path, width, ...(await visit(context, origin, path, { isDesktop, isScanned: AXE && first.has(path) })) });
		};
		await Promise.all([work(), work(), work()]);
		await context.close();
	}
	if (AXE) visits.find(({ path, width }) => path === '/' && width === 'desktop')?.problems.push(...(await chooseLight(browser, origin)));
} finally {
	await browser.close();
	server.close();
}
console.log(JSON.stringify(visits));
