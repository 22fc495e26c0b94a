// node build.mjs site: the rows that pages ask, and the pages, by Evidence's build from a clean start, without telemetry, and failing
// where it fails. What is compiled from pages and components is kept, and compiled anew only once one of them has changed: rows change
// far more often. node build.mjs rows: the rows alone, for `evidence dev`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';

const TEMPLATE = join('.evidence', 'template');
const STATIC = join(TEMPLATE, 'static');
const DATA = join(STATIC, 'data');
const OUTPUT = join('.svelte-kit', 'output'); // of the template
const COMPILED = join(TEMPLATE, OUTPUT, '.compiled'); // what it was compiled from: gone where what was compiled is gone
const CODE = ['.env', 'pages', 'components', 'build.mjs', 'evidence.plugins.yaml', 'package-lock.json', 'svelte.config.js', 'tailwind.config.cjs'];
const REPORT = 'report.duckdb';
// Of the groups of each prompt pages want the groups alone.
const SELECTED = { rpt_groups: 'distinct category_slug, axis, axis_position, group_value, group_key' };
// What columns become: a browser's numbers are doubles, its times milliseconds, and its days have times.
const AS = [
	[/INT(EGER)?$|^DECIMAL|^FLOAT$/, (column) => `${column}::double`],
	[/^(DATE|TIMESTAMP)$/, (column) => `date_trunc('milliseconds', ${column}::timestamp)`],
	[/./, (column) => column]
];
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const FONT = /^inter-latin-wght-normal\..+\.woff2$/;
const UNUSED = /^duckdb(-browser)?-mvp\b/;

function run(what, parameters, cwd = '.', settings = {}) {
	const env = { ...process.env, SEND_ANONYMOUS_USAGE_STATS: 'no', ...settings };
	const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd, encoding: 'utf8', env, maxBuffer: 2 ** 28 });
	process.stdout.write(stdout ?? '');
	process.stderr.write(stderr ?? '');
	if (status !== 0) process.exit(status ?? 1);
	// Evidence calls a build complete although a page's query failed.
	if (/Error in Query/i.test(`${stdout}${stderr}`)) fail(`${what}: a query failed (see "Error in Query" above).`);
}

function fail(message) {
	console.error(message);
	process.exit(1);
}

// The report's tables as files that a page asks: `rpt_x` is `audit.x` there. Not by `evidence sources`, which takes ten times as long and
// writes no file for a table without rows.
async function rows() {
	if (!existsSync(REPORT)) fail('No tables yet: run `plumbline report`.');
	rmSync(DATA, { recursive: true, force: true });
	// Of one thread `distinct` gives its rows in the same order each time.
	const instance = await DuckDBInstance.create(REPORT, { access_mode: 'READ_ONLY', threads: '1' });
	const connection = await instance.connect();
	const ask = async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();
	const files = [];
	try {
		for (const { table } of await ask("select table_name as table from duckdb_tables() where regexp_full_match(table_name, 'rpt_\\w+') order by all")) {
			const name = table.slice('rpt_'.length);
			const selected = `select ${SELECTED[table] ?? '*'} from ${quoted(table)}`;
			const columns = await ask(`select column_name as name, column_type as type from (describe ${selected})`);
			const shown = columns.map(({ name, type }) => `${AS.find(([kind]) => kind.test(type))[1](quoted(name))} as ${quoted(name)}`);
			const file = join('data', 'audit', name, `${name}.parquet`);
			mkdirSync(join(STATIC, dirname(file)), { recursive: true });
			await connection.run(`copy (select ${shown.join(', ')} from (${selected})) to '${join(STATIC, file)}' (format parquet, compression zstd)`);
			files.push(`static/${file.split(sep).join('/')}`);
		}
	} finally {
		connection.closeSync();
		instance.closeSync();
	}
	writeFileSync(join(DATA, 'manifest.json'), JSON.stringify({ renderedFiles: { audit: files } }));
}

// Evidence stores each query's rows as a file, dozens for a page, and a slow line pays a round trip for every six of them. A
// page gets one file instead, compressed because hosts send such files as they are: by gzip, a line of JSON that gives each
// query's rows as [from, to], in bytes after that line, and then the rows as Arrow streams, equal ones once.
function packRows() {
	const api = join('build', 'api');
	const stored = join(api, 'prerendered_queries');
	for (const path of readdirSync(api, { recursive: true }).filter((path) => basename(path) === 'all-queries.json')) {
		const places = new Map();
		const streams = [];
		let end = 0;
		const queries = Object.entries(JSON.parse(readFileSync(join(api, path), 'utf8'))).map(([name, hash]) => {
			if (!places.has(hash)) {
				const stream = readFileSync(join(stored, `${hash}.arrow`));
				places.set(hash, [end, (end += stream.length)]);
				streams.push(stream);
			}
			return [name, places.get(hash)];
		});
		const listed = Buffer.from(`${JSON.stringify(Object.fromEntries(queries))}\n`);
		writeFileSync(join(api, dirname(path), 'rows.bin'), gzipSync(Buffer.concat([listed, ...streams]), { level: 9 }));
		rmSync(join(api, path));
	}
	rmSync(stored, { recursive: true, force: true });
}

// The font of nearly all letters is asked for before the scripts: it is there when the text is first drawn, so that no line
// moves when it comes.
function preloadFont() {
	const assets = join('_app', 'immutable', 'assets');
	const font = readdirSync(join('build', assets)).find((name) => FONT.test(name));
	if (!font) fail('The font is not where the pages ask for it.');
	const link = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${assets}/${font}">`;
	for (const path of readdirSync('build', { recursive: true }).filter((path) => basename(path) === 'index.html')) {
		const page = join('build', path);
		writeFileSync(page, readFileSync(page, 'utf8').replace('<link rel="modulepreload"', `${link}\n\t\t$&`));
	}
}

/** A hash of all that is compiled. */
function codeHash() {
	const hash = createHash('sha256').update(process.version);
	const settings = Object.entries(process.env).filter(([name]) => /^(EVIDENCE|VITE)_/.test(name));
	hash.update(JSON.stringify(settings.sort()));
	const add = (path) => {
		if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
		else hash.update(`\0${path}\0`).update(readFileSync(path));
	};
	CODE.filter((path) => existsSync(path)).forEach(add);
	return hash.digest('hex');
}

// What SvelteKit does after it has compiled, from what was compiled before: every page that a link leads to is drawn with the rows
// that there are now. These are its own two functions, of the version in the lock file; tests/site compares the files. Runs in the
// template's folder.
async function draw() {
	const postbuild = (name) => import(new URL(`node_modules/@sveltejs/kit/src/core/postbuild/${name}.js`, import.meta.url)).then((module) => module.default);
	const manifest_path = resolve(OUTPUT, 'server', 'manifest-full.js');
	const { manifest } = await import(pathToFileURL(manifest_path));
	const env = { ...process.env };
	const metadata = await (await postbuild('analyse'))({
		manifest_path,
		manifest_data: { routes: manifest._.routes.map(({ id }) => ({ id })), hooks: {} },
		server_manifest: {},
		tracked_features: {},
		env
	});
	await (await postbuild('prerender'))({ out: resolve(OUTPUT), manifest_path, metadata, verbose: true, env });
}

/** The site from what is compiled, into the same folder and with the same files as `evidence build` writes. */
function drawAnew() {
	const [client, prerendered] = ['client', 'prerendered'].map((name) => join(TEMPLATE, OUTPUT, name));
	const ofOldRows = readdirSync(client).filter((name) => !['_app', '.vite', 'service-worker.js'].includes(name));
	for (const path of [...ofOldRows.map((name) => join(client, name)), prerendered, join(TEMPLATE, '.evidence-queries', 'cache')]) rmSync(path, { recursive: true, force: true });
	cpSync(STATIC, client, { recursive: true });
	const settings = { EVIDENCE_DATA_URL_PREFIX: 'static/data', EVIDENCE_DATA_DIR: './static/data' };
	run('drawing the pages', ['--max-old-space-size=4096', fileURLToPath(import.meta.url), 'draw'], TEMPLATE, settings);
	const isPublic = (path) => basename(path) !== '.vite';
	for (const path of [client, join(prerendered, 'pages'), join(prerendered, 'dependencies')]) cpSync(path, 'build', { recursive: true, filter: isPublic });
}

// `evidence build` copies over an older build and keeps what is no longer part of it. Of the two DuckDB builds every browser
// since 2022 loads the one that uses WebAssembly exceptions; the other is 22 MB that nobody fetches.
async function site() {
	await rows();
	rmSync('build', { recursive: true, force: true });
	// An earlier audit's files would be published with this one's.
	for (const name of readdirSync('static')) rmSync(join(STATIC, name), { recursive: true, force: true });
	cpSync('static', STATIC, { recursive: true });
	const code = codeHash();
	const isCompiled = existsSync(COMPILED) && readFileSync(COMPILED, 'utf8') === code;
	rmSync(COMPILED, { force: true }); // after a build that fails all is compiled anew
	if (isCompiled) drawAnew();
	else {
		run('`evidence build`', [join('node_modules', '@evidence-dev', 'evidence', 'cli.js'), 'build:strict']);
		cpSync(join('build', '_app', 'env.js'), join(TEMPLATE, OUTPUT, 'client', '_app', 'env.js')); // written with the pages, and not of them
	}
	writeFileSync(COMPILED, code);
	packRows();
	preloadFont();
	for (const folder of ['assets', 'workers'].map((name) => join('build', '_app', 'immutable', name))) {
		for (const file of readdirSync(folder).filter((name) => UNUSED.test(name))) rmSync(join(folder, file));
	}
	if (!readFileSync(join('build', 'index.html'), 'utf8').includes('http-equiv="content-security-policy"')) {
		fail('The pages carry no content security policy: svelte.config.js was not applied.');
	}
}

const commands = { rows, site, draw };
const command = commands[process.argv[2]];
if (!command) fail('Usage: node build.mjs site|rows');
await command();
