// node tests/load.mjs FOLDER PATH...: what pages load, and how soon they can be read and used over a slow line, as JSON.
// The line is what Chromium's developer tools call Fast 4G: 9 Mbit/s of which nine tenths arrive, 165 ms a round trip; text is
// compressed by gzip, as hosts do, and nothing is kept from the page before. A page can be used once its scripts run.
import { launch, serve } from './browser.mjs';

const LINE = { offline: false, latency: 165, downloadThroughput: (0.9 * 9e6) / 8, uploadThroughput: (0.9 * 1.5e6) / 8 };
const [folder, ...paths] = process.argv.slice(2);
const { server, origin } = await serve(folder, { isCompressed: true });
const browser = await launch();
const loaded = [];
try {
	for (const path of paths) {
		const context = await browser.newContext();
		const page = await context.newPage();
		const client = await context.newCDPSession(page);
		await client.send('Network.enable');
		await client.send('Network.emulateNetworkConditions', LINE);
		const bytes = { all: 0, data: 0 };
		page.on('response', (response) => {
			const n = Number(response.headers()['content-length'] ?? 0);
			bytes.all += n;
			if (/\.parquet$|^\/api\//.test(new URL(response.url()).pathname)) bytes.data += n;
		});
		await page.goto(origin + path, { waitUntil: 'networkidle', timeout: 120000 });
		const [read] = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime / 1000));
		const [used] = await page.evaluate(() => performance.getEntriesByName('usable').map((entry) => entry.startTime / 1000));
		loaded.push({ path, read, used, bytes: bytes.all, data: bytes.data });
		await context.close();
	}
} finally {
	await browser.close();
	server.close();
}
console.log(JSON.stringify(loaded));
