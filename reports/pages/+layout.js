// In place of Evidence's own: there every page loads DuckDB and opens every table before anything is asked. Here what a page
// shows comes with it, as the build stored it, and the database is loaded when something asks it: a search, say.
import { browser, building, dev } from '$app/environment';
import { profile } from '@evidence-dev/component-utilities/profile';
import { setTrackProxy } from '@evidence-dev/sdk/usql';
import { arrowTableToJSON, initDB, query as ask, setParquetURLs, tableFromIPC, updateSearchPath } from '@evidence-dev/universal-sql/client-duckdb';
import md5 from 'blueimp-md5';

const NEWLINE = 10;

export const ssr = !dev;
// A page that nothing links to, such as one question's where there are no questions, must not stop the build.
export const prerender = 'auto';
export const trailingSlash = 'always';

async function readManifest() {
	if (browser) return (await fetch('/data/manifest.json')).json();
	const { readFile } = await import('fs/promises');
	return JSON.parse(await readFile('./static/data/manifest.json', 'utf-8'));
}

async function openDatabase() {
	const { renderedFiles } = await readManifest();
	await initDB();
	await setParquetURLs(renderedFiles);
	await updateSearchPath(Object.keys(renderedFiles));
}

let opened;
const database = () => (opened ??= profile(openDatabase));

/** Published files as tables, each by its name: the workbench opens those that a query names. */
async function openFiles(files) {
	await setParquetURLs({ published: files }, true);
	await updateSearchPath(['audit', 'published']);
}

/** The rows of each of a page's queries, by name: the build packed them in one file, as `packRows` of build.mjs says. */
async function storedRows(packed, fetch) {
	// A browser from before 2023 asks the database instead.
	const file = 'DecompressionStream' in globalThis && (await fetch(packed));
	if (!file?.ok) return {};
	const bytes = new Uint8Array(await new Response(file.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
	const start = bytes.indexOf(NEWLINE) + 1;
	const places = Object.entries(JSON.parse(new TextDecoder().decode(bytes.subarray(0, start))));
	return Object.fromEntries(places.map(([name, [from, to]]) => [name, arrowTableToJSON(tableFromIPC(bytes.slice(start + from, start + to)))]));
}

/** What a page is made with, asked in turn while pages are built: it then stands in each page in the same order. */
async function settingsOf(route, fetch) {
	const json = (path) => fetch(path).then((response) => response.json());
	const requests = [
		() => json('/api/customFormattingSettings.json/GET.json'),
		() => json('/api/pagesManifest.json'),
		() => json(`/api/${route}/evidencemeta.json`).catch(() => ({ queries: [] }))
	];
	if (browser) return Promise.all(requests.map((request) => request()));
	const answers = [];
	for (const request of requests) answers.push(await request());
	return answers;
}

/** The titles of the pages on the way to this one; a page of answers has its title from a query. */
async function nameTheWay(pages, route, params, stored, query) {
	let page = pages;
	for (const part of route.split('/').slice(1)) {
		page = page.children[part];
		if (!page) return;
		const { title, breadcrumb } = page.frontMatter ?? {};
		if (title) page.title = title;
		else if (breadcrumb) {
			const sql = Object.entries(params).reduce((text, [name, value]) => text.replaceAll(`\${params.${name}}`, value), breadcrumb);
			page.title = (stored ?? (await query(sql, { query_name: 'breadcrumb' })))[0]?.breadcrumb;
		}
	}
}

export const load = async ({ fetch, route, params }) => {
	const [{ customFormattingSettings }, pagesManifest, evidencemeta] = await settingsOf(route.id, fetch);
	const routeHash = md5(route.id);
	const paramsHash = md5(
		Object.entries(params)
			.sort()
			.map(([name, value]) => `${name}\x1F${value}`)
			.join('\x1E')
	);
	const isUserPage = Boolean(route.id) && !['/settings', '/explore'].some((own) => route.id.startsWith(own));

	if (!browser) await database();
	const packed = isUserPage && !dev ? `/api/${routeHash}/${paramsHash}/rows.bin` : undefined;
	const data = browser && packed ? await storedRows(packed, fetch) : {};

	function query(sql, { query_name, callback = (rows) => rows } = {}) {
		if (browser) return database().then(() => ask(sql)).then(callback);
		return callback(ask(sql, { route_hash: routeHash, additional_hash: paramsHash, query_name, prerendering: building }));
	}

	await nameTheWay(pagesManifest, route.id ?? '', params, data.breadcrumb, query);

	return {
		__db: {
			query,
			load: database,
			open: (files) => database().then(() => openFiles(files)),
			updateParquetURLs: (manifest) => setParquetURLs(JSON.parse(manifest).renderedFiles)
		},
		inputs: setTrackProxy({ label: '', value: '(SELECT NULL WHERE 0 /* An Input has not been set */)' }),
		data,
		packed,
		customFormattingSettings,
		isUserPage,
		evidencemeta,
		pagesManifest
	};
};
