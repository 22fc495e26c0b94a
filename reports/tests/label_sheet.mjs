// node tests/label_sheet.mjs SHEET FOLDER: label a sheet as somebody would, by keyboard, by mouse and on a phone, save into FOLDER, and
// print, as JSON, what was seen. The sheet is opened from the disk, as its reader opens it; it may ask for nothing else.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, watch } from './browser.mjs';

const [sheet, folder] = process.argv.slice(2);
const address = pathToFileURL(resolve(sheet)).href;
const AXE = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const browser = await launch();
const seen = { problems: [], saved: [], looks: [], others: [] };

async function open(options) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
	const page = await context.newPage();
	const problems = watch(page, address);
	await page.goto(address);
	return { context, page, problems, name: options.name };
}

async function begin(page, name) {
	await page.keyboard.type(name);
	await page.keyboard.press('Enter');
	await page.locator('#work, #end').filter({ visible: true }).waitFor();
}

const look = (page) =>
	page.evaluate(() => {
		const text = (id) => document.getElementById(id).textContent;
		return {
			title: document.title,
			asked: text('choices-title'),
			prompt: text('prompt'),
			answer: text('answer'),
			count: text('count'),
			status: text('status'),
			pressed: document.querySelector('#choices [aria-pressed="true"]')?.textContent ?? null,
			choices: [...document.querySelectorAll('#choices button')].map((button) => button.innerText.replace(/\s+/g, ' ')),
			focused: document.activeElement.id,
			elements: document.querySelectorAll('img, iframe, main script, svg').length,
			isWide: document.documentElement.scrollWidth > window.innerWidth
		};
	});

async function scan(page) {
	// The policy of the page keeps axe out; a test may look through its own door.
	await page.evaluate(AXE);
	const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
	return found.violations.map(({ id, impact, nodes }) => `axe ${id} (${impact}): ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

async function save(page, by) {
	const [download] = await Promise.all([page.waitForEvent('download'), by()]);
	await download.saveAs(join(folder, download.suggestedFilename()));
	seen.saved.push(download.suggestedFilename());
}

// By keyboard: labels, both ways of not answering, a note, a skip, back and forth, a reload in between.
const { page, problems, context } = await open({ name: 'keyboard' });
seen.start = { text: await page.locator('#start').innerText(), problems: await scan(page) };
await begin(page, 'Ada =1+1');
const kept = [];
for (const key of ['1', '2', '0', '?', '1']) {
	kept.push({ ...(await look(page)), key });
	await page.waitForTimeout(100);
	// Held down, so that it comes twice.
	await page.keyboard.down(key);
	await page.keyboard.down(key);
	await page.keyboard.up(key);
}
await page.keyboard.press('ArrowLeft');
seen.back = await look(page);
await page.keyboard.press('n');
await page.keyboard.type('=cmd() 1 "quoted"');
await page.keyboard.press('Escape');
await page.keyboard.press('ArrowRight');
seen.skipped = await look(page);
await page.keyboard.press('s');
seen.looks = kept;
seen.scan = await scan(page);
page.removeAllListeners('dialog');
const leaving = new Promise((done) => page.once('dialog', (dialog) => dialog.accept().then(() => done(dialog.type()))));
await page.reload();
seen.leaving = await Promise.race([leaving, new Promise((done) => setTimeout(done, 2000, 'no warning'))]);
await begin(page, 'Ada =1+1');
seen.restored = await look(page);
const choose = async () => {
	seen.others.push({ ...(await look(page)), key: '1' });
	await page.keyboard.press('1');
};
await page.keyboard.press('s');
while (await page.locator('#work').isVisible()) await choose();
seen.left = await page.locator('#end').innerText();
await page.locator('#skipped').click();
seen.again = await look(page);
await choose();
seen.end = { text: await page.locator('#end').innerText(), problems: await scan(page) };
await save(page, () => page.keyboard.press('Tab').then(() => page.keyboard.press('Enter')));
seen.problems.push(...problems);
await context.close();

// On a phone, in the dark, by mouse, where the browser keeps nothing.
const phone = await open({ name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });
await phone.page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get: () => { throw new Error('off'); } }));
await phone.page.goto(address);
await begin(phone.page, 'Bo');
seen.phone = { ...(await look(phone.page)), warning: await phone.page.locator('#warning').innerText(), problems: await scan(phone.page) };
await phone.page.locator('#choices button').first().tap();
seen.tapped = await look(phone.page);
await save(phone.page, () => phone.page.locator('#save').tap());
seen.problems.push(...phone.problems);
await phone.context.close();
await browser.close();
console.log(JSON.stringify(seen));
