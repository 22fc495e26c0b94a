import { derived, writable } from 'svelte/store';

/** What a reader may choose of a page's rows, in the order of the bar. */
export const FILTERS = [
	{ key: 'model', word: 'model', title: 'Model', all: 'All models' },
	{ key: 'role', word: 'role', title: 'Role', all: 'All roles' },
	{ key: 'category', word: 'question', title: 'Question', all: 'All questions' },
	{ key: 'axis', word: 'attribute', title: 'By', all: 'All attributes' },
	{ key: 'profile', word: 'profile', title: 'Profile' }
];

const LONGEST = 200;
const NO_ROLE = '(none)';
const NONE = Object.fromEntries(FILTERS.map(({ key }) => [key, '']));

/** What was chosen on any page: it goes along from page to page. An address is a stranger's text, so a value counts only where a row has it. */
export const wanted = writable({});

export function inAddress() {
	const found = new URLSearchParams(location.search);
	return Object.fromEntries(FILTERS.map(({ key }) => [key, (found.get(key) ?? '').slice(0, LONGEST)]).filter(([, value]) => value));
}

export function writeAddress(values) {
	const url = new URL(location.href);
	for (const [key, value] of Object.entries(values)) {
		if (value) url.searchParams.set(key, value);
		else url.searchParams.delete(key);
	}
	if (url.href !== location.href) history.replaceState(history.state, '', url);
}

/** `?model=…&axis=…` for a link, of what is not empty. */
export function addressOf(values) {
	const search = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
	return search && `?${search}`;
}

let restored;
if (typeof window !== 'undefined') addEventListener('popstate', () => (restored = location.pathname));

/** True once, where the reader came by the back or forward button: then the address alone says what was chosen. */
export function cameBack() {
	const came = restored === location.pathname;
	restored = undefined;
	return came;
}

/** Who answered, from the layout: suite, config, model, role and how much. */
export const configs = writable([]);

/** Which model and role each config is. Configs that share both are told apart by their own name. */
export const places = derived(configs, (rows) => {
	const pair = (row) => JSON.stringify([row.model, row.role]);
	const labels = new Map();
	for (const row of rows) labels.set(pair(row), (labels.get(pair(row)) ?? new Set()).add(row.config));
	return new Map(rows.map((row) => [row.config, { model: labels.get(pair(row)).size > 1 ? row.config : row.model, role: row.role || NO_ROLE }]));
});

const isText = (value) => value !== null && value !== undefined && value !== '';

/** A row's values of the filters; undefined where it is about no single one, and then no filter leaves it out. */
function valuesOf(row, places) {
	if (row.is_baseline) return { category: row.category_slug, axis: row.axis };
	const place = places.get(row.config) ?? (isText(row.model) ? { model: row.model, role: row.role || NO_ROLE } : {});
	return { ...place, category: row.category_slug, axis: row.axis, profile: row.profile };
}

export function fits(row, choice, places = new Map(), by = FILTERS.map(({ key }) => key)) {
	const values = valuesOf(row, places);
	return by.every((key) => {
		if (!isText(values[key])) return true;
		if (key === 'profile' && !choice.profile) return row.is_gate_profile !== false;
		return !choice[key] || choice[key] === values[key];
	});
}

const TITLES = {
	category: (row) => `${row.category} ${row.category_title ?? ''}`.trim(),
	role: (row, value) => (value === NO_ROLE ? 'no role' : value),
	profile: (row, value) => value.replaceAll('_', ' ')
};

const nAttributes = (axis) => String(axis).split('&').length;

/**
 * The filters of a page with the options that its rows have, what of `asked` applies, and what does not.
 * `required`: these have no "all"; each starts from what the ones before it leave.
 */
export function offer({ rows, more, places, by, required, asked }) {
	const choice = { ...NONE };
	const unknown = [];
	const filters = [];
	const all = [...rows, ...more];
	let left = all;
	for (const filter of FILTERS.filter(({ key }) => by.includes(key))) {
		const { key } = filter;
		const isRequired = required.includes(key);
		const options = new Map();
		const gates = new Set();
		for (const row of isRequired ? left : all) {
			const value = valuesOf(row, places)[key];
			if (!isText(value)) continue;
			if (key === 'profile' && row.is_gate_profile) gates.add(value);
			else if (!options.has(value)) options.set(value, { key: value, title: (TITLES[key] ?? ((_, text) => text))(row, value) });
		}
		const value = asked[key] ?? '';
		if (key === 'profile') for (const gate of gates) if (gates.size === 1) options.delete(gate);
		if (options.has(value)) choice[key] = value;
		else if (value && !gates.has(value) && (options.size > 0 || gates.size > 0)) unknown.push({ ...filter, value });
		const listed = [...options.values()];
		if (key === 'axis') listed.sort((a, b) => nAttributes(a.key) - nAttributes(b.key));
		if (isRequired) {
			choice[key] ||= listed[0]?.key ?? '';
			left = left.filter((row) => fits(row, { ...NONE, [key]: choice[key] }, places));
		} else if (key === 'profile') {
			if (gates.size > 0) listed.unshift({ key: '', title: gates.size === 1 ? TITLES.profile(undefined, [...gates][0]) : 'the gate’s' });
		} else listed.unshift({ key: '', title: filter.all });
		filters.push({ ...filter, options: listed, isChoice: listed.length > (isRequired || key === 'profile' ? 1 : 2) });
	}
	return { filters, choice, unknown };
}

/** The width that a choice needs to show what is chosen whole, within what a line has room for. */
export const roomFor = (options, key, most = 16) => `${Math.min(most, Math.max(8, 2.75 + 0.45 * String(options.find((option) => option.key === key)?.title ?? '').length))}rem`;

/** What a FilterBar calls `chosen`, as an object: '' for all. */
export const choiceOf = (chosen) => ({ ...NONE, ...(chosen ? JSON.parse(chosen) : {}) });

/** `kept = $keeping(chosen)` leaves what fits: `kept(rows)`, or `kept(rows, keys)` by some of the filters. */
export const keeping = derived(places, (known) => (chosen) => {
	const choice = choiceOf(chosen);
	return (rows, keys) => Array.from(rows ?? []).filter((row) => fits(row, choice, known, keys));
});
