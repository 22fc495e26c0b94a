// node tests/pictures.mjs SITE FOLDER: the pictures of README and guide, of a built site of the demo, as a browser shows it.
import { join, resolve } from 'node:path';
import { launch, serve } from './browser.mjs';

// `run`: what is clicked first; then there is a table.
const PICTURES = [
	{ name: 'overview', path: '/', height: 800 },
	{ name: 'question', path: '/category/fair_sea-I3/', height: 1180 },
	{ name: 'story', path: '/story/', height: 800 },
	{ name: 'officer', path: '/officer/', height: 700 },
	{ name: 'workbench', path: '/workbench/', run: 'button:has-text("Run")', height: 800 }
];

const [site, folder] = process.argv.slice(2);
if (!site || !folder) {
	console.error('node tests/pictures.mjs SITE FOLDER');
	process.exit(2);
}
const { server, origin } = await serve(resolve(site));
const browser = await launch();
for (const { name, path, run, height } of PICTURES) {
	const page = await browser.newPage({ viewport: { width: 1280, height }, colorScheme: 'light' });
	await page.goto(origin + path, { waitUntil: 'networkidle' });
	await page.evaluate(() => document.fonts.ready);
	if (run) {
		await page.locator(run).click();
		await page.locator('main table').first().waitFor();
	}
	await page.waitForTimeout(1500);
	await page.screenshot({ path: join(folder, `${name}.png`) });
	await page.close();
}
await browser.close();
server.close();
