// node tests/tables.mjs FOLDER: what becomes of a table that is wider than its page, and of one that is not. Prints, as JSON, how
// wide each is beside its box, how many lines its cell of text has, and how far what stands below has moved by itself.
import { launch, serve } from './browser.mjs';

const PAGE = `<!doctype html><title>Tables</title><link rel="stylesheet" href="/frame/theme.css">
<style>td { white-space: nowrap; line-height: 20px; padding: 0 } .table-container { width: 400px; overflow-x: auto }</style>
<body><article></article></body>`;
const TEXT = '0.0352 to 0.399';
const tableOf = (columns) => `<div class="table-container"><table><tr>${`<td class="string">${TEXT}</td><td class="number">12,345</td>`.repeat(columns)}</tr></table></div><p>Below</p>`;

const { server, origin } = await serve(process.argv[2]);
const browser = await launch();
const seen = {};
for (const [name, columns] of Object.entries({ fits: 1, cut: 3 })) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
	await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
	await page.goto(origin);
	await page.evaluate(async () => {
		window.moved = 0;
		new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.moved += value))).observe({ type: 'layout-shift', buffered: true });
		(await import('/patches/accessibility.js')).mend();
	});
	await page.evaluate((table) => (document.querySelector('article').innerHTML = table), tableOf(columns));
	await page.waitForTimeout(400);
	seen[name] = await page.evaluate(() => {
		const [box, text, number] = ['.table-container', 'td.string', 'td.number'].map((selector) => document.querySelector(selector));
		const lines = (cell) => Math.round(cell.getBoundingClientRect().height / 20);
		const range = document.createRange();
		range.selectNodeContents(number);
		return { isCut: box.scrollWidth > box.clientWidth, lines: lines(text), linesOfNumber: range.getClientRects().length, moved: window.moved };
	});
}
console.log(JSON.stringify(seen));
await browser.close();
server.close();
