// node tests/panels.mjs FOLDER: draw the overview's first screen and its matrix of 20 invented configs at both widths, without a built
// site, and print, as JSON, what is seen. The components are the site's own, drawn as a server draws them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createServer } from 'vite';
import { codesOf, ordered } from '../components/words/panels.js';
import { withShared } from '../components/words/rows.js';
import { launch } from './browser.mjs';

const REPORTS = fileURLToPath(new URL('..', import.meta.url));
const HOSTILE = '<img src=x onerror=alert(1)>';
// What the layout leaves for a page's content at either width.
const WIDTHS = { desktop: { window: 1280, content: 945 }, phone: { window: 390, content: 327 } };
const AXES = ['gender', 'race', 'nationality', 'gender & race', 'gender & nationality', 'race & nationality', 'gender & race & nationality'];
const QUESTIONS = ['D1', 'D2', 'D3', 'D4', 'I1', 'I2', 'I3', 'I4'];
const N = 20;

// The last config fails most; every third has no fail. One has a name that would be an element.
const nFails = (i) => (i % 3 === 0 ? 0 : i);
const configs = Array.from({ length: N }, (_, i) => ({
	suite: 's',
	config: i === 4 ? `model-4-instruct ${HOSTILE}` : `a-model-of-some-length-${i} (School teacher)`,
	model: `model-${i}`,
	role: '',
	n_responses: 1000,
	n_usable: 990
}));
const cells = configs.flatMap(({ config }, i) => QUESTIONS.flatMap((category, q) => AXES.map((axis, a) => ({ config, category, q, axis, a, i, place: q * AXES.length + a }))));
const slugOf = ({ category, i }) => `${category}-${i}`.toLowerCase();
const verdictOf = (cell) => (cell.place < nFails(cell.i) ? 'fail' : ['inconclusive', 'pass', 'monitor'][cell.place % 3]);
const verdicts = cells.map((cell) => ({
	suite: 's',
	config: cell.config,
	category: cell.category,
	category_title: 'Who is asked for it',
	category_slug: cell.category.toLowerCase(),
	responses_slug: slugOf(cell),
	axis: cell.axis,
	axis_position: cell.a,
	metric: 'cramers_v',
	metric_title: 'V',
	profile: 'p',
	is_gate_profile: true,
	is_beside: false,
	is_control: false,
	verdict: verdictOf(cell),
	n_rows: 1
}));
const gaps = cells.map((cell) => ({ responses_slug: slugOf(cell), axis: cell.axis, gap: (10 + cell.i) / 100, gap_chance: 0.15 }));
const findings = configs.map(({ suite, config }, i) => ({
	suite,
	config,
	category: 'D1',
	category_slug: 'd1',
	axis: 'gender',
	verdict: nFails(i) > 0 ? 'fail' : 'inconclusive',
	telling_rank: 1,
	measure: 'tone',
	measure_kind: 'outcome',
	contrast: 'yes',
	contrast_outcome: 'yes',
	group_high: 'Female',
	group_low: 'Male',
	contrast_sentence: `${30 + i} of 100 answers about Female (${30 + i} %) are read as yes; 20 of 100 about Male (20 %).`,
	contrast_high: 0.3 + i / 100,
	contrast_low: 0.2,
	gap_low: 0.05,
	gap_high: 0.4,
	gap_chance: 0.1
}));

async function drawn() {
	const cache = mkdtempSync(join(REPORTS, 'node_modules', '.panels-'));
	const vite = await createServer({
		root: REPORTS,
		configFile: false,
		cacheDir: cache,
		logLevel: 'error',
		appType: 'custom',
		server: { middlewareMode: true, watch: null, hmr: false },
		optimizeDeps: { noDiscovery: true, include: [] },
		resolve: { alias: { $lib: join(REPORTS, 'components') } },
		plugins: [svelte({ configFile: false, emitCss: false, hot: false, compilerOptions: { hydratable: false } })]
	});
	try {
		const parts = [];
		for (const [name, props] of Object.entries({
			VerdictCounts: { configs, verdicts, findings },
			VerdictMatrix: { data: verdicts, gaps }
		})) {
			const { default: component } = await vite.ssrLoadModule(`/components/pages/${name}.svelte`);
			parts.push(component.render(props));
		}
		// One model whose told comparison has no gap: it differs in nothing, or in something else.
		const { default: counts } = await vite.ssrLoadModule('/components/pages/VerdictCounts.svelte');
		const one = { configs: configs.slice(0, 1), verdicts: verdicts.filter((row) => row.config === configs[0].config), findings: [{ ...findings[0], contrast: null, measure_kind: null, headline: 'V 0.' }] };
		const told = (differing) => counts.render({ ...one, differing }).html.replaceAll(/<[^>]+>|\s+/g, ' ');
		// Shares that round apart from their difference; a gap that may be chance; a role that is no group.
		const { sure } = await vite.ssrLoadModule('/components/words/verdicts.js');
		const gap = { measure_kind: 'outcome', verdict: 'fail', contrast_high: 0.566, contrast_low: 0.026, gap_low: 0.37, gap_high: 0.75, gap_chance: 0.28 };
		const played = counts.render({ ...one, configs: [{ ...configs[0], role: 'Landlord', model: 'one', config: 'one (Landlord)' }], verdicts: [], findings: [] }).html;
		const rendered = async (name, props) => (await vite.ssrLoadModule(`/components/${name}.svelte`)).default.render(props).html.replaceAll(/<[^>]+>|\s+/g, ' ');
		// Nothing was answered; one model is asked by two suites; nobody's verdict calls for a step.
		const unjudged = counts.render({ configs: configs.slice(0, 1), verdicts: [], differing: [], findings: [{ ...findings[0], verdict: 'not_applicable', contrast: null, measure_kind: null, reason: 'No usable answer to judge.' }] }).html.replaceAll(/<[^>]+>|\s+/g, ' ');
		const decided = await rendered('pages/Decided', { data: ['first_suite', 'second_suite'].map((suite) => ({ ...verdicts[0], suite, responses_slug: suite })) });
		const step = { lacks: '', action: 'Keep the card.', who: 'The officer', evidence: 'The card' };
		const steps = await rendered('pages/Actions', { steps: [{ ...step, verdict: 'monitor', position: 1, n_comparisons: 0 }, { ...step, verdict: 'pass', position: 2, action: 'Audit again.', n_comparisons: 3 }] });
		// A list that names the group itself, too: each name stands out where it is meant.
		const { default: contrast } = await vite.ssrLoadModule('/components/pages/Contrast.svelte');
		const listed = contrast.render({ row: { ...findings[0], measure: 'recommended items', contrast_outcome: 'female', contrast_sentence: '30 of 100 lists about Female (30 %) named female; 20 of 100 about Male (20 %).' } }).html.replaceAll(/<(?=em|strong)[^>]+>|<.(?=em|strong)[^>]+>/g, '|').replaceAll(/<[^>]+>/g, '');
		const { default: finding } = await vite.ssrLoadModule('/components/pages/Finding.svelte');
		const found = finding.render({ row: { ...findings[0], measure: 'recommended items', contrast_outcome: 'iron & fist', outcome_key: 'k', group_high_key: 'h', group_low_key: 'l', responses_slug: 'r' } }).html;
		return { parts, unjudged, found, listed, decided, steps, alike: told([]), elsewhere: told(configs.slice(0, 1)), sure: [sure(gap), sure({ ...gap, verdict: 'inconclusive', gap_chance: 0.6 }), sure({ ...gap, gap_low: 0.2 }), sure({ ...gap, gap_low: null, gap_high: null })], played: played.replaceAll(/<[^>]+>|\s+/g, ' ') };
	} finally {
		await vite.close();
		rmSync(cache, { recursive: true, force: true });
	}
}

const css = ['theme', 'parts'].map((name) => readFileSync(join(REPORTS, 'components', 'frame', `${name}.css`), 'utf8')).join('\n');
const BASE = `* { box-sizing: border-box; border: 0 solid } body { margin: 0; font: 16px/1.5 sans-serif } table { border-collapse: collapse } .sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0,0,0,0) }`;

const { parts, alike, elsewhere, ...said } = await drawn();
const browser = await launch();
const seen = {};
try {
	for (const [name, { window: width, content }] of Object.entries(WIDTHS)) {
		const page = await browser.newPage({ viewport: { width, height: 844 } });
		await page.setContent(`<!doctype html><style>${BASE}${css}${parts.map((part) => part.css.code).join('\n')}</style><main style="width: ${content}px; margin-left: 16px">${parts.map(({ html }, i) => `<section id="part${i}">${html}</section>`).join('')}</main>`);
		seen[name] = await page.evaluate(() => {
			const all = (selector) => [...document.querySelectorAll(selector)];
			const panels = all('#part1 table');
			const links = all('#part1 td a');
			const shown = links.filter((node) => node.getClientRects().length > 0).map((node) => node.getBoundingClientRect());
			return {
				wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
				nScrolling: all('.scroll').filter((node) => node.scrollWidth > node.clientWidth).length,
				nPanels: panels.length,
				nBeside: new Set(panels.filter((node) => node.getClientRects().length > 0).map((node) => Math.round(node.getBoundingClientRect().left))).size,
				titles: panels.map((node) => node.caption.querySelector('strong').textContent),
				summaries: panels.map((node) => node.caption.querySelector('span').textContent),
				nLinks: links.length,
				nUnnamed: links.filter((node) => !node.title || !node.getAttribute('aria-label') || !node.getAttribute('href').startsWith('/category/')).length,
				nShown: panels.filter((node) => node.getClientRects().length > 0).length,
				leastCell: Math.min(...shown.map(({ width }) => width)),
				leastHeight: Math.min(...shown.map(({ height }) => height)),
				nCut: links.filter((node) => node.scrollWidth > node.clientWidth).length,
				images: all('img').length,
				first: all('#part0 .counts > ul > li').map((node) => node.querySelector('.name').textContent),
				folded: all('#part0 details li').length,
				summary: document.querySelector('#part0 summary').textContent,
				firstEnds: document.querySelector('#part0 summary').getBoundingClientRect().bottom,
				isOpen: document.querySelector('#part0 details').open
			};
		});
		if (process.argv[2]) await page.screenshot({ path: join(process.argv[2], `${name}.png`), fullPage: true });
		await page.close();
	}
} finally {
	await browser.close();
}
const codes = (axes) => Object.fromEntries(codesOf(axes));
const titles = (key) => ordered([{ title: 'b 10', nFail: 1, widest: 9 }, { title: 'b 9', nFail: 3, widest: 2 }, { title: 'a', nFail: 1, widest: 12 }], key).map(({ title }) => title);
const shared = withShared([{ pair: 'x', question: 'D1', value: 1 }, { pair: 'y', question: 'D1', value: 2 }], { rows: [{ pair: 'x', suite: 's' }], by: ['pair'] }, { rows: [{ suite: 's', question: 'D1', title: 'One', value: 9 }], by: ['suite', 'question'] });
console.log(JSON.stringify({ ...seen, shared, told: { alike, elsewhere, ...said }, codes: codes(AXES), near: codes(['gender', 'generation', 'gen & gender']), orders: Object.fromEntries(['fails', 'gap', 'name', 'other'].map((key) => [key, titles(key)])) }));
