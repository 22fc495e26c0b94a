// node tests/depths.mjs FOLDER [PAYLOAD]: the story, the word list and the workbench of a built site as a reader uses them, in Chromium.
// Prints, as JSON, what was seen.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { launch, serve, watch } from './browser.mjs';

const QUESTIONS = JSON.parse(readFileSync(new URL('../components/pages/questions.json', import.meta.url), 'utf8'));
const PAYLOAD = process.argv[3] ?? '';
const HOSTILE = '<img src=x onerror=alert(1)>';
const { server, origin } = await serve(resolve(process.argv[2] ?? 'build'));
const browser = await launch();

async function open(page, path) {
	await page.goto(origin + path, { waitUntil: 'networkidle' });
	await page.locator('dfn.term').first().waitFor({ state: 'attached' });
}

/** The answer to a query, once it is there. */
async function answer(page, sql) {
	if (sql !== undefined) await page.locator('textarea').fill(sql);
	await page.getByRole('button', { name: 'Run' }).click();
	await page.locator('.output :is(.count, .wrong)').waitFor({ timeout: 60000 });
	return page.evaluate(() => ({
		count: document.querySelector('.output .count')?.innerText ?? '',
		wrong: document.querySelector('.output .wrong')?.innerText ?? '',
		head: [...document.querySelectorAll('.output th')].map((cell) => cell.innerText),
		cells: [...document.querySelectorAll('.output td')].slice(0, 40).map((cell) => cell.innerText),
		nRows: document.querySelectorAll('.output tbody tr').length,
		nBars: document.querySelectorAll('.output figure li').length,
		nInjected: document.querySelectorAll('.output :is(img, b, script)').length
	}));
}

const STEPS = {
	async story(page) {
		await open(page, '/story/');
		const seen = await page.evaluate(() => ({
			title: document.querySelector('h1').innerText,
			text: document.querySelector('.story').innerText,
			drawn: document.querySelector('.story .gap')?.getAttribute('aria-label'),
			answers: [...document.querySelectorAll('.pair blockquote')].map((node) => node.innerText),
			may: [...document.querySelectorAll('.may li')].map((node) => node.innerText),
			mayNot: [...document.querySelectorAll('.may-not li')].map((node) => node.innerText),
			citation: document.querySelector('.citation')?.innerText
		}));
		// A spoilt site is longer than any: what it is spoilt with is not printed.
		await page.evaluate((payload) => {
			const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			while (payload && walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replaceAll(payload, '');
		}, PAYLOAD);
		const printed = await page.pdf({ format: 'A4', preferCSSPageSize: true });
		return { ...seen, nSheets: printed.toString('latin1').match(/\/Type\s*\/Page\b/g).length };
	},

	/** A term says what it means to the pointer and to the keyboard, and what is chosen on a page leaves no words behind. */
	async terms(page) {
		await open(page, '/');
		const meaning = page.locator('.meaning');
		const marked = page.locator('dfn.term').first();
		const term = await marked.getAttribute('data-term');
		await marked.focus();
		const byKey = await meaning.innerText();
		await page.keyboard.press('Escape');
		const isHidden = (await meaning.count()) === 0;
		await marked.hover();
		const byPointer = await meaning.innerText();
		const described = await marked.evaluate((node) => document.getElementById(node.getAttribute('aria-describedby')).textContent);
		return { term, byKey, byPointer, described, isHidden };
	},

	async workbench(page) {
		await open(page, '/workbench/');
		const answers = [];
		for (const [i, { title }] of QUESTIONS.entries()) {
			await page.getByLabel('Prepared questions').selectOption(String(i));
			await page.waitForFunction(() => document.querySelector('form .run').innerText === 'Run' && document.querySelector('.output :is(.count, .wrong)'), undefined, { timeout: 60000 });
			answers.push({ title, ...(await answer(page)) });
		}
		const hostile = await answer(page, `select '${HOSTILE}' as "<b>x</b>", 1 as n -- a comment`);
		const url = page.url();
		const many = await answer(page, 'select * from range(2000);');
		const wrong = await answer(page, `select ${HOSTILE} from fct_verdicts`);
		return { answers, hostile, url, many, wrong };
	},

	/** A link's query is shown and waits. */
	async link(page) {
		await open(page, `/workbench/#sql=${encodeURIComponent('select 6 * 7 as n')}`);
		await page.locator('.notice').waitFor();
		const before = { sql: await page.locator('textarea').inputValue(), nAnswers: await page.locator('.output .count').count() };
		return { before, after: await answer(page) };
	}
};

const problems = [];
const seen = {};
try {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
	for (const [name, run] of Object.entries(STEPS)) {
		const page = await context.newPage();
		page.setDefaultTimeout(60000);
		const found = watch(page, origin);
		try {
			seen[name] = await run(page);
		} catch (error) {
			found.push(error.message.split('\n')[0]);
		}
		problems.push(...found.map((problem) => `${name}: ${problem}`));
		await page.close();
	}
	// The browser itself refuses a query of another host's file: the page's policy says so in its console.
	const page = await context.newPage();
	const reached = [];
	page.on('requestfinished', (request) => request.url().startsWith(origin) || /^(data|blob):/.test(request.url()) || reached.push(request.url()));
	await open(page, '/workbench/');
	seen.elsewhere = { ...(await answer(page, "select * from read_parquet('http://127.0.0.2:9/x.parquet')")), reached };
} finally {
	await browser.close();
	server.close();
}
console.log(JSON.stringify({ problems, ...seen }));
