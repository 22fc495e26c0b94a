// node build.mjs sources|site: Evidence's two commands, from a clean start, without telemetry, and failing where they fail.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const DATA = '.evidence/template/static/data';
const APPEARANCE = 'appearance.js';
const UNUSED = /^duckdb(-browser)?-mvp\b/;

function evidence(command) {
	const cli = join('node_modules', '@evidence-dev', 'evidence', 'cli.js');
	const env = { ...process.env, SEND_ANONYMOUS_USAGE_STATS: 'no' };
	const { status, stdout, stderr } = spawnSync(process.execPath, [cli, command], { encoding: 'utf8', env, maxBuffer: 2 ** 28 });
	process.stdout.write(stdout ?? '');
	process.stderr.write(stderr ?? '');
	if (status !== 0) process.exit(status ?? 1);
	// Evidence calls a build complete although a page's query failed.
	if (/Error in Query/i.test(`${stdout}${stderr}`)) fail(`\`evidence ${command}\`: a query failed (see "Error in Query" above).`);
}

function fail(message) {
	console.error(message);
	process.exit(1);
}

// `evidence sources` ends with status 0 when a query fails, and leaves an empty table's old file where it was.
function sources() {
	rmSync(DATA, { recursive: true, force: true });
	evidence('sources');
	for (const entry of readdirSync('sources', { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
		for (const file of readdirSync(join('sources', entry.name)).filter((file) => file.endsWith('.sql'))) {
			const table = file.slice(0, -'.sql'.length);
			const written = join(DATA, entry.name, table, `${table}.parquet`);
			if (!existsSync(written)) fail(`sources/${entry.name}/${file} wrote no rows: see above, or add the padding row that the other sources have.`);
		}
	}
}

// `evidence build` copies over an older build and keeps what is no longer part of it. Of the two DuckDB builds every browser
// since 2022 loads the one that uses WebAssembly exceptions; the other is 22 MB that nobody fetches.
function site() {
	if (!existsSync(join(DATA, 'manifest.json'))) fail('No data yet: run "npm run sources" first.');
	rmSync('build', { recursive: true, force: true });
	copyFileSync(APPEARANCE, join('.evidence', 'template', 'static', APPEARANCE));
	evidence('build:strict');
	for (const folder of ['assets', 'workers'].map((name) => join('build', '_app', 'immutable', name))) {
		for (const file of readdirSync(folder).filter((name) => UNUSED.test(name))) rmSync(join(folder, file));
	}
	if (!readFileSync(join('build', 'index.html'), 'utf8').includes('http-equiv="content-security-policy"')) {
		fail('The pages carry no content security policy: svelte.config.js was not applied.');
	}
}

const commands = { sources, site };
const command = commands[process.argv[2]];
if (!command) fail('Usage: node build.mjs sources|site');
command();
