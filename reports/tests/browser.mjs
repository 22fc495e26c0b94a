// What the browser tests share: a server of a built site on a loopback port, Chromium, and what a page must not do.
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

// The shell has no windows to draw, and takes half the time.
const BROWSERS = [process.env.CHROMIUM, 'chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json' };

function findBrowser() {
	for (const name of BROWSERS.filter(Boolean)) {
		const found = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' });
		if (found.status === 0) return found.stdout.trim();
	}
	throw new Error('No Chromium found: install it (Debian: apt-get install chromium) or name it in CHROMIUM.');
}

export const launch = () => chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu', '--process-per-site'] });

/** With `isCompressed`, text goes as it does from most hosts: by gzip. */
export async function serve(folder, { isCompressed = false } = {}) {
	const root = resolve(folder);
	const server = createServer((request, response) => {
		const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
		let file = resolve(join(root, path));
		if (file !== root && !file.startsWith(root + sep)) return response.writeHead(403).end();
		if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
		if (!existsSync(file)) return response.writeHead(404).end();
		const type = TYPES[extname(file)] ?? 'application/octet-stream';
		if (isCompressed && /^text|javascript|json|svg/.test(type)) {
			const packed = gzipSync(readFileSync(file));
			return response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
		}
		response.writeHead(200, { 'content-type': type, 'content-length': statSync(file).size, 'cache-control': path.startsWith('/_app/immutable/') ? 'max-age=3600' : 'no-store' });
		createReadStream(file).pipe(response);
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** What goes wrong on a page from now on, as it happens: dialogs, errors, requests to other hosts, missing files. */
export function watch(page, origin) {
	const problems = [];
	page.on('dialog', async (dialog) => {
		problems.push(`dialog: ${dialog.message()}`);
		await dialog.dismiss();
	});
	page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`));
	page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
	page.on('request', (request) => {
		if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) problems.push(`request to ${request.url()}`);
	});
	page.on('response', (response) => response.status() >= 400 && problems.push(`status ${response.status()}: ${response.url().replace(origin, '')}`));
	return problems;
}
