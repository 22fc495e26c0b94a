// node build.mjs sources|site: Evidence's two commands, from a clean start, without telemetry, and failing where they fail.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';

const DATA = '.evidence/template/static/data';
const SOURCE = join('sources', 'audit');
const REPORT = join(SOURCE, 'report.duckdb');
// Of the groups of each prompt pages want the groups alone.
const SELECTED = { rpt_groups: 'distinct category_slug, axis, axis_position, group_value, group_key' };
const FONT = /^inter-latin-wght-normal\..+\.woff2$/;
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

async function ask(sql, database = ':memory:') {
	const instance = await DuckDBInstance.create(database, { access_mode: database === ':memory:' ? 'AUTOMATIC' : 'READ_ONLY' });
	const connection = await instance.connect();
	try {
		return (await connection.runAndReadAll(sql)).getRowObjects();
	} finally {
		connection.closeSync();
		instance.closeSync();
	}
}

/** The report's tables: `rpt_x` is `audit.x` for a page. */
async function tablesOfReport() {
	const found = await ask("select table_name from duckdb_tables() where starts_with(table_name, 'rpt_')", REPORT);
	return Promise.all(
		found.map(async ({ table_name: table }) => {
			const name = table.slice('rpt_'.length);
			const [{ n }] = await ask(`select count(*) as n from ${table}`, REPORT);
			return { table, isEmpty: n === 0n, source: join(SOURCE, `${name}.sql`), written: join(DATA, 'audit', name, `${name}.parquet`) };
		})
	);
}

// `evidence sources` writes no file for a table without rows, and then pages do not find it: such a table gets a row of nulls on
// its way, which is taken out of the file. It also ends with status 0 when a query fails.
async function sources() {
	rmSync(DATA, { recursive: true, force: true });
	for (const file of readdirSync(SOURCE).filter((file) => file.endsWith('.sql'))) rmSync(join(SOURCE, file));
	const tables = await tablesOfReport();
	for (const { table, isEmpty, source } of tables) {
		writeFileSync(source, isEmpty ? `select empty.* from (select 1) left join ${table} as empty on true\n` : `select ${SELECTED[table] ?? '*'} from ${table}\n`);
	}
	evidence('sources');
	for (const { table, isEmpty, written } of tables) {
		if (!existsSync(written)) fail(`${table} was not written: see above.`);
		if (!isEmpty) continue;
		await ask(`copy (select * from '${written}' where false) to '${written}.empty' (format parquet)`);
		renameSync(`${written}.empty`, written);
	}
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

// `evidence build` copies over an older build and keeps what is no longer part of it. Of the two DuckDB builds every browser
// since 2022 loads the one that uses WebAssembly exceptions; the other is 22 MB that nobody fetches.
function site() {
	if (!existsSync(join(DATA, 'manifest.json'))) fail('No data yet: run "npm run sources" first.');
	rmSync('build', { recursive: true, force: true });
	evidence('build:strict');
	packRows();
	preloadFont();
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
await command();
