// node tests/clicks.mjs FOLDER: use the filters of a built site as a reader does, in Chromium, and print, as JSON, what was seen.
// `choices`: each option of each filter of the overview. `pages`: each filter of other pages once. `steps`: longer ways.
import { resolve } from 'node:path';
import { launch, serve, watch } from './browser.mjs';

const PAGES = ['/categories/', '/nulls/', '/intersections/', '/pairs/', '/scorer-bias/', '/stereotypes/', '/controls/', '/census/', '/quality/', '/measurements/', '/summary/', '/disparities/'];
// "116 of 147" in a finding.
const COUNTS = /\(\d+ of \d+\)/;
const HOSTILE = '<img src=x onerror=alert(1)>';
const { server, origin } = await serve(resolve(process.argv[2] ?? 'build'));
const browser = await launch();

const main = (page) => page.locator('main').innerText();
const filtersOf = (page) => page.locator('.filters select[name]').evaluateAll((nodes) => nodes.map((node) => ({ key: node.name, value: node.value, options: [...node.options].map((option) => option.value) })));
const address = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const findings = (page) => page.locator('.by').allTextContents();
const countOf = (page) => page.locator('.filters .count').innerText();
/** Until text and address have stayed as they are for a moment. */
const settled = (page) =>
	page.evaluate(
		() =>
			new Promise((done) => {
				let [seen, times] = ['', 0];
				const look = () => {
					const now = location.href + document.querySelector('main').innerText;
					[seen, times] = [now, now === seen ? times + 1 : 0];
					if (times < 3) setTimeout(look, 50);
					else done();
				};
				look();
			})
	);

async function open(page, path) {
	await page.goto(origin + path, { waitUntil: 'load' });
	// The page is the browser's own once its answers have come.
	await page.waitForLoadState('networkidle');
}

/** After a click within the site, which loads no document. */
async function arrived(page, isThere) {
	await page.waitForURL(isThere);
	await page.waitForSelector('main');
	await settled(page);
}

/** Whether what `read` gives becomes what it was: a page is shown before its filters are at work. */
async function becomes(page, read, expected) {
	for (const end = Date.now() + 20000; Date.now() < end; await settled(page)) if (String(await read(page)) === String(expected)) return true;
	return false;
}

async function choose(page, key, value) {
	await page.locator(`.filters select[name=${key}]`).selectOption(value);
	await settled(page);
}

async function clear(page) {
	await page.locator('.filters button', { hasText: 'Clear' }).click();
	await settled(page);
}

async function overview(page) {
	await open(page, '/');
	const before = { text: await main(page), count: await countOf(page) };
	const choices = [];
	for (const { key, options, value: first } of await filtersOf(page)) {
		for (const value of options.filter((value) => value !== first)) {
			await choose(page, key, value);
			choices.push({
				key,
				value,
				count: await countOf(page),
				address: address(page),
				isChanged: (await main(page)) !== before.text,
				findings: await findings(page)
			});
		}
		await clear(page);
		if ((await main(page)) !== before.text || Object.keys(address(page)).length > 0) throw new Error(`clearing ${key} did not bring back what was shown`);
	}
	return { total: before.count, choices };
}

async function other(page, path) {
	await open(page, path);
	const filters = [];
	for (const { key, options, value: first } of await filtersOf(page)) {
		const before = await main(page);
		const count = await countOf(page);
		await choose(page, key, options.filter((value) => value !== first).at(-1));
		const seen = { key, address: address(page)[key], value: options.at(-1), isChanged: (await main(page)) !== before, count: [count, await countOf(page)] };
		if (filters.length === 0) {
			const text = await main(page);
			await page.reload({ waitUntil: 'networkidle' });
			seen.isKept = (await becomes(page, main, text)) && address(page)[key] === seen.address;
		}
		filters.push(seen);
		await clear(page);
		if (Object.keys(address(page)).length > 0) throw new Error(`${path}: clearing ${key} left ${page.url()}`);
	}
	return { path, filters };
}

const STEPS = {
	/** What the first screen says of each model, in words and drawn. */
	async first_screen(page) {
		await open(page, '/');
		return page.locator('.what:has(.told)').evaluateAll((nodes) => nodes.map((node) => ({ told: node.querySelector('.told').textContent.replace(/\s+/g, ' ').trim(), drawn: node.querySelector('.gap')?.getAttribute('aria-label') })));
	},

	/** From a cell of the matrix to its question, to the answers that were counted, and back. */
	async down_to_the_answers(page) {
		await open(page, '/');
		const line = page.locator('li', { hasText: COUNTS, has: page.locator('.answers a') }).first();
		const slug = await line.locator('xpath=preceding::p[contains(@class, "question")][1]/a').getAttribute('href');
		const [lead, words] = [await line.locator('.by').innerText(), await line.innerText()];
		const axis = lead.match(/by (.+?)(?: \(.*\))?(?:, whether an answer came)?:$/)[1];
		if ((await page.locator('.filters select[name=axis]').count()) > 0) await choose(page, 'axis', axis);
		const filtered = { text: await main(page), url: page.url() };
		const cell = page.locator(`td a[href^="${slug}?"][aria-label$=": fail"]`).first();
		const href = new URL(await cell.getAttribute('href'), origin);
		await cell.click();
		await arrived(page, (url) => url.pathname.startsWith('/category/'));
		const question = { url: page.url(), findings: await findings(page), axis: address(page).axis, asked: href.searchParams.get('axis') };
		const told = page.locator('li', { hasText: COUNTS, has: page.locator('.answers a') }).first();
		const sentence = await told.textContent();
		await told.locator('.answers a').first().click();
		await arrived(page, (url) => url.pathname.startsWith('/responses/'));
		const shown = (await main(page)).match(/Answers 1 to \d+ of ([\d,]+)/)?.[1].replaceAll(',', '');
		await page.goBack();
		await arrived(page, question.url);
		const isBackAtQuestion = (await becomes(page, findings, question.findings)) && (await filtersOf(page)).some(({ key, value }) => key === 'axis' && value === axis);
		await page.goBack();
		await arrived(page, filtered.url);
		return { words, axis, question: { axis: question.axis, asked: question.asked }, sentence, shown, isBackAtQuestion, isBackAtOverview: await becomes(page, main, filtered.text) };
	},

	/** A choice goes along to another page by the site's own links; back is without it, where it was not chosen. */
	async along_to_another_page(page) {
		await open(page, '/categories/');
		const { key, options } = (await filtersOf(page)).find(({ key }) => key === 'axis' || key === 'model' || key === 'category');
		await choose(page, key, options.at(-1));
		await page.locator('main a[href^="/category/"]').first().click();
		await arrived(page, (url) => url.pathname.startsWith('/category/'));
		await page.locator('a[href="/"], a[href="./"]').first().click();
		await arrived(page, (url) => url.pathname === '/');
		const there = { address: address(page)[key], filter: (await filtersOf(page)).find((one) => one.key === key)?.value };
		await clear(page);
		await page.goBack();
		await page.goBack();
		await arrived(page, (url) => url.pathname === '/categories/');
		return { value: options.at(-1), there, back: address(page)[key] };
	},

	/** What nobody has in the address shows everything, says so, and runs nothing. */
	async unknown_values(page) {
		await open(page, '/');
		const before = await countOf(page);
		await open(page, `/?${new URLSearchParams({ model: HOSTILE, role: 'x'.repeat(5000), category: HOSTILE, axis: "' or 1=1 --", profile: '__proto__' })}`);
		const seen = { before, count: await countOf(page), notices: await page.locator('.unknown').allInnerTexts(), images: await page.locator('img[src=x]').count() };
		await clear(page);
		return { ...seen, isCleared: Object.keys(address(page)).length === 0 && (await page.locator('.unknown').count()) === 0 };
	},

	/** A word of an answer finds it among all, leads to its branches side by side, and from there to the whole list. */
	async search(page) {
		await open(page, '/responses/');
		const link = page.locator('main a[href*="/responses/"]').first();
		await open(page, new URL(await link.getAttribute('href'), origin).pathname);
		const count = page.locator('p.count');
		const text = () => count.innerText();
		const all = await text();
		const word = (await page.locator('blockquote').first().innerText()).match(/[a-z]{4,}/i)[0];
		await page.getByLabel('Words in answer or prompt').fill(word);
		await page.waitForFunction(() => new URLSearchParams(location.search).has('q'));
		await settled(page);
		const found = { word, text: await text(), marked: await page.locator('mark').first().innerText(), address: address(page).q };
		await open(page, '/responses/');
		await page.getByLabel('Search all answers and prompts').fill(word.toUpperCase());
		await page.keyboard.press('Enter');
		await count.filter({ hasText: / of [\d,]+ answers/ }).waitFor({ timeout: 60000 });
		const everywhere = await text();
		await page.locator('main article a', { hasText: 'side by side' }).first().click();
		await arrived(page, (url) => url.searchParams.has('root'));
		const branches = { heading: await page.locator('.root').innerText(), text: await text() };
		await page.locator('.root button').click();
		await settled(page);
		return { all, found, everywhere, branches, back: await text(), isCleared: !('root' in address(page)) };
	},

	/** A word above a long table leaves the rows that hold it, from whichever page of the table; nothing is loaded for it. */
	async find_in_a_table(page) {
		await open(page, '/nulls/');
		const asked = [];
		// A chart's code comes when the chart is first on the screen; no rows may come.
		page.on('request', (request) => new URL(request.url()).pathname.startsWith('/_app/') || asked.push(request.url()));
		const table = page.locator('.second-is-text');
		const pages = table.locator('.page-input:visible');
		await pages.fill('60');
		await pages.press('Enter');
		await settled(page);
		const box = page.getByLabel('Find in this table');
		await box.fill('control zzzz');
		await settled(page);
		const nothing = await main(page);
		await box.fill("D4 Cram\u00e9r's");
		await settled(page);
		const rows = (await table.locator('tr.row-link:visible').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
		return { nothing: nothing.includes('No row holds all of these words.'), count: await page.locator('.find .count').innerText(), rows, asked };
	},

	/** Tab to a filter, arrows to choose, Tab and Enter to clear. */
	async by_keyboard(page) {
		await open(page, '/');
		const { key, value } = (await filtersOf(page))[0];
		const isAt = (selector) => page.evaluate((selector) => document.activeElement?.matches(selector), selector);
		const tabTo = async (selector) => {
			for (let i = 0; i < 80 && !(await isAt(selector)); i++) await page.keyboard.press('Tab');
			return isAt(selector);
		};
		const isReached = await tabTo(`.filters select[name=${key}]`);
		await page.keyboard.press('ArrowDown');
		await settled(page);
		const chosen = { address: address(page)[key], count: await countOf(page) };
		const isClearReached = await tabTo('.filters button');
		await page.keyboard.press('Enter');
		await settled(page);
		return { key, first: value, isReached, chosen, isClearReached, isCleared: Object.keys(address(page)).length === 0 };
	}
};

const problems = [];
const seen = { pages: [], steps: {} };
try {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
	const jobs = [
		{ name: '/', run: async (page) => Object.assign(seen, await overview(page)) },
		...Object.entries(STEPS).map(([name, run]) => ({ name, run: async (page) => (seen.steps[name] = await run(page)) })),
		...PAGES.map((path) => ({ name: path, run: async (page) => seen.pages.push(await other(page, path)) }))
	];
	const work = async () => {
		for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
			const page = await context.newPage();
			page.setDefaultTimeout(60000);
			const found = watch(page, origin);
			try {
				await job.run(page);
			} catch (error) {
				found.push(error.message.split('\n')[0]);
			}
			problems.push(...found.map((problem) => `${job.name}: ${problem}`));
			await page.close();
		}
	};
	await Promise.all([work(), work()]);
} finally {
	await browser.close();
	server.close();
}
console.log(JSON.stringify({ ...seen, problems }));
