// node tests/site.mjs FOLDER [--hover] [--page PATH]...: open the pages of a built site in Chromium and print, as JSON, what each did.
// A page is opened at desktop and at phone width; with
// --hover the pointer moves over each chart, where there is a pointer: at desktop width. FOLDER is served on a loopback port; --page replaces the list of all pages.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { launch, serve, watch } from './browser.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { hover: { type: 'boolean' }, page: { type: 'string', multiple: true } } });
const root = resolve(positionals[0] ?? 'build');
const WIDTHS = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

const pagesIn = (folder, path = '/') =>
	readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		// dbt's documentation is a page of dbt's own.
		if (entry.isDirectory()) return entry.name.startsWith('_') || (path === '/' && entry.name === 'dbt') ? [] : pagesIn(join(folder, entry.name), `${path}${entry.name}/`);
		return entry.name === 'index.html' ? [path] : [];
	});

/** Move over every chart, close enough together to meet each row and column. */
async function hover(page) {
	const tips = new Set();
	for (const canvas of await page.locator('canvas').all()) {
		await canvas.scrollIntoViewIfNeeded();
		const box = await canvas.boundingBox();
		if (!box) continue;
		for (let y = box.y + 12; y < box.y + box.height - 4; y += 24) {
			for (const part of [0.35, 0.55, 0.75]) {
				await page.mouse.move(box.x + part * box.width, y);
				const text = await canvas.evaluate((node) => node.parentElement.parentElement.innerText.trim());
				if (text) tips.add(text);
			}
		}
	}
	await page.mouse.move(2, 2);
	return [...tips];
}

async function visit(context, origin, path, isHovered) {
	const page = await context.newPage();
	const problems = watch(page, origin);
	await page.goto(origin + path, { waitUntil: 'networkidle' });
	await page.evaluate(() => document.fonts.ready);
	const tips = isHovered ? await hover(page) : [];
	const seen = await page.evaluate(() => ({
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
		errors: [...document.querySelectorAll('.bg-red-50')].map((box) => box.innerText.trim()),
		injected: [...document.querySelectorAll('img[src="x"], script')].filter((node) => node.tagName === 'IMG' || node.text.includes('alert(')).length
	}));
	for (const text of seen.errors) problems.push(`a component failed: ${text}`);
	if (seen.injected > 0) problems.push(`${seen.injected} elements came out of data`);
	if (seen.wide > 0) problems.push(`${seen.wide} px wider than the window`);
	if (seen.cutCharts > 0) problems.push(`${seen.cutCharts} charts wider than what holds them`);
	await page.close();
	return { ...seen, tips, problems };
}

const { server, origin } = await serve(root);
const browser = await launch();
const visits = [];
try {
	for (const [width, viewport] of Object.entries(WIDTHS)) {
		const context = await browser.newContext({ viewport });
		const paths = [...(values.page ?? pagesIn(root).sort())];
		const work = async () => {
			for (let path = paths.shift(); path !== undefined; path = paths.shift()) visits.push({ path, width, ...(await visit(context, origin, path, values.hover && width === 'desktop')) });
		};
		await Promise.all([work(), work()]);
		await context.close();
	}
} finally {
	await browser.close();
	server.close();
}
console.log(JSON.stringify(visits));
