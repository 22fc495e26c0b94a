import { readable } from 'svelte/store';
import { show } from '$lib/words/digits.js';
import { perCent } from '$lib/words/shares.js';
import { letters, shortened } from '$lib/words/text.js';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const NAMES = { paper: 'paper', raised: 'raised', ink: 'ink', inkSoft: 'ink-soft', line: 'line', lineStrong: 'line-strong', accent: 'accent', accentSoft: 'accent-soft', second: 'second', third: 'third', chance: 'chance' };
const SCALES = ['scale', 'diverging'];

/** Text from data as text: ECharts puts what a tooltip formatter returns into the page as HTML. */
export const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => ENTITIES[c]);

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** `fmt`: pct, num (three significant digits), or how many decimals. */
export const formatNumber = (value, fmt) => {
	if (!isNumber(value)) return '–';
	if (fmt === 'pct') return `${perCent(value)}\u00a0%`;
	if (!isNumber(fmt)) return Number(value.toPrecision(3)).toString();
	const text = value.toFixed(fmt);
	// No -0.00, and no 0.00 but of 0.
	return Number(text) === 0 ? (show(value) === '0' ? text.replace('-', '') : show(value)) : text;
};

/** Shares beside an axis: whole per cent, which leave room for one another. */
export const percent = (share) => `${perCent(share, 0)}\u00a0%`;

/** An interval in a legend: the line that it is in the chart. */
export const LINE = 'path://M0,4 L14,4 L14,6 L0,6 Z';

export const tooltip = {
	trigger: 'item',
	confine: true,
	extraCssText: 'max-width: 20rem; white-space: normal; overflow-wrap: anywhere;'
};

/** What is told of a row, below its name: lines of HTML for a tooltip. */
export const told = (name, ...lines) => [`<strong>${escapeHtml(name)}</strong>`, ...lines.filter(Boolean)].join('<br/>');

/** `bars` of two columns, and the points of one: each ends with its row's place. */
export const spans = (rows, low, high) => rows.flatMap((row, i) => (isNumber(row[low]) && isNumber(row[high]) ? [[row[low], row[high], i]] : []));
export const points = (rows, column) => rows.flatMap((row, i) => (isNumber(row[column]) ? [[row[column], i]] : []));

/** From one number to another on each row: `thickness` in pixels, or as a share of a row's height; `least` pixels wide. */
export function bars(name, color, data, thickness, least = 1) {
	return {
		type: 'custom',
		name,
		itemStyle: { color },
		encode: { x: [0, 1], y: 2 },
		data,
		renderItem(params, api) {
			const [x0, y] = api.coord([api.value(0), api.value(2)]);
			const [x1] = api.coord([api.value(1), api.value(2)]);
			const height = thickness < 1 ? api.size([0, 1])[1] * thickness : thickness;
			const width = Math.max(Math.abs(x1 - x0), least);
			return { type: 'rect', shape: { x: (x0 + x1 - width) / 2, y: y - height / 2, width, height }, style: { fill: color } };
		}
	};
}

// Of a chart, in pixels: on a phone, and beside others. Drawing.svelte has it, too.
export const NARROW = 500;
// With more lines than these its scale stands at both ends.
const TALL = 16;
// Names beside lines.
const NAMED = { width: 190, fontSize: 11, lineHeight: 13 };
const NAMED_NARROW = { width: 110 };
// Of a letter in Inter, on average, as a share of its size.
const LETTER = 0.56;

export const lengthOf = (name, { fontSize }) => LETTER * fontSize * letters(name);

/** A name that fits into so many pixels. ECharts cuts, too, but guesses the width of other scripts wrongly. */
export const fitting = (name, { width, fontSize }) => shortened(name, Math.floor(width / (LETTER * fontSize)));

/** How many lines a name takes: ECharts breaks between words, and words that are too long. */
export function linesOf(name, { width, fontSize }) {
	const most = Math.floor(width / (LETTER * fontSize));
	let [lines, used] = [1, 0];
	for (const length of name.split(' ').map(letters)) {
		if (used > 0 && used + 1 + length > most) [lines, used] = [lines + 1, 0];
		used += (used > 0 ? 1 : 0) + length;
		lines += Math.max(0, Math.ceil(used / most) - 1);
		used = ((used - 1) % most) + 1;
	}
	return lines;
}

/** Height in pixels of the lines of a `lineChart`, so that no name reaches into the next; labels as given there. */
export function linesHeight(rows, isNarrow, { names, nameLabel, narrowLabel, least = 26 }) {
	const label = { ...NAMED, ...nameLabel, ...(isNarrow ? { ...NAMED_NARROW, ...narrowLabel } : {}) };
	const most = Math.max(1, ...rows.map((row) => linesOf(String(row[names]), label)));
	return rows.length * Math.max(least, most * label.lineHeight + 6) + (rows.length > TALL ? 20 : 0);
}

/** An axis at the bottom and, where a chart is `isTall`, at the top as well. */
const bothEnds = (isTall, axis) => (isTall && axis ? [axis, { ...axis, name: '', position: 'top', splitLine: { show: false } }] : axis);

/** Draws nothing: an axis goes as far as its own series do, and the one at the top has none of its own. */
const reach = (series) => ({
	type: 'custom',
	xAxisIndex: 1,
	silent: true,
	encode: { x: [0, 1], y: 2 },
	data: series.flatMap(({ data }) => data.map((mark) => [mark[0], mark.at(-2), mark.at(-1)])),
	renderItem: () => undefined
});

/** Options of a chart with a line a row: `names` at the left, marks along the axis, `tell(row)` where the pointer is. The rest adds to parts of ECharts'. */
export function lineChart(rows, { names, tell, series, grid, legend, xAxis, nameLabel, narrowLabel, narrow }) {
	const isTall = rows.length > TALL;
	return {
		animation: false,
		grid: { left: 18, right: 24, top: 36, bottom: 40, containLabel: true, ...grid },
		legend: { top: 0, left: 0, itemWidth: 14, itemHeight: 10, ...legend, textStyle: { padding: [0, 0, 0, 4], ...legend.textStyle } },
		xAxis: bothEnds(isTall, { type: 'value', nameLocation: 'middle', nameGap: 26, ...xAxis, axisLabel: { hideOverlap: true, ...xAxis.axisLabel } }),
		yAxis: { type: 'category', inverse: true, data: rows.map((row) => String(row[names])), axisTick: { show: false }, axisLabel: { overflow: 'break', interval: 0, ...NAMED, ...nameLabel } },
		media: [{ query: { maxWidth: NARROW }, option: { ...narrow, xAxis: bothEnds(isTall, narrow?.xAxis), grid: { top: 60, ...narrow?.grid }, yAxis: { axisLabel: { ...NAMED_NARROW, ...narrowLabel } } } }],
		tooltip: { ...tooltip, trigger: 'axis', axisPointer: { type: 'shadow', axis: 'y' }, formatter: (marks) => tell(rows[marks[0].data.at(-1)]) },
		series: isTall ? [...series, reach(series)] : series
	};
}

/** theme.css's colours as they are now: a canvas knows no variables. Nothing where there is no page. */
function read() {
	const value = (name) => (typeof document === 'undefined' ? '' : getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
	return {
		...Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, value(name)])),
		...Object.fromEntries(SCALES.map((name) => [name, value(name).split(' ').filter(Boolean)]))
	};
}

/** What charts are drawn in. Changes with the page's appearance, so that charts are drawn again. */
export const colors = readable(read(), (set) => {
	if (typeof document === 'undefined') return;
	set(read());
	const observer = new MutationObserver(() => set(read()));
	observer.observe(document.documentElement, { attributeFilter: ['data-appearance'] });
	return () => observer.disconnect();
});

/** Options with the page's colours for what a chart leaves to ECharts: axes, legend, scale, tooltip. */
export function dress(config, { paper, raised, ink, inkSoft, line, lineStrong }) {
	const each = (value, change) => (Array.isArray(value) ? value.map(change) : value && change(value));
	const axis = (own) => ({
		...own,
		nameTextStyle: { color: inkSoft, backgroundColor: paper, ...own.nameTextStyle },
		// Named again: ECharts keeps room for names as if they were in another font.
		axisLabel: { color: inkSoft, fontFamily: 'Inter, sans-serif', ...own.axisLabel },
		axisLine: { ...own.axisLine, lineStyle: { color: lineStrong, ...own.axisLine?.lineStyle } },
		splitLine: { ...own.splitLine, lineStyle: { color: line, ...own.splitLine?.lineStyle } }
	});
	const legend = (own) => ({ pageIconColor: inkSoft, pageIconInactiveColor: line, pageTextStyle: { color: inkSoft }, inactiveColor: lineStrong, ...own, textStyle: { color: inkSoft, ...own.textStyle } });
	return {
		...config,
		xAxis: each(config.xAxis, axis),
		yAxis: each(config.yAxis, axis),
		legend: each(config.legend, legend),
		visualMap: each(config.visualMap, (own) => ({ ...own, textStyle: { color: inkSoft, ...own.textStyle } })),
		tooltip: { ...config.tooltip, backgroundColor: raised, borderColor: lineStrong, textStyle: { fontSize: 12, color: ink } }
	};
}

/** An action that draws options in an element, and again where they or its size change. ECharts comes when the page can be used; the font before names are measured. */
export function drawn(node, options) {
	let [chart, observer, latest, isGone, isNarrow] = [undefined, undefined, options, false];
	const measured = () => node.clientWidth <= NARROW;
	Promise.all([import('$lib/charts/echarts.js'), document.fonts.load('11px Inter').catch(() => [])]).then(([{ init }]) => {
		if (isGone) return;
		chart = init(node);
		isNarrow = measured();
		chart.setOption(latest);
		observer = new ResizeObserver(() => {
			chart.resize();
			// What `media` set stays set when it no longer holds.
			if (isNarrow !== measured()) chart.setOption(latest, true);
			isNarrow = measured();
		});
		observer.observe(node);
	});
	return {
		update(next) {
			latest = next;
			chart?.setOption(next, true);
		},
		destroy() {
			isGone = true;
			observer?.disconnect();
			chart?.dispose();
		}
	};
}

const channels = (hex) => [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
const luminance = (rgb) => {
	const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** Black or white, whichever reads better (never below 4.5 to 1) upon a scale's colour at `share` of its length. */
export function inkUpon(scale, share) {
	if (scale.length < 2) return '';
	const place = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
	const first = Math.min(Math.floor(place), scale.length - 2);
	const [from, to] = [channels(scale[first]), channels(scale[first + 1])];
	const under = luminance(from.map((value, i) => value + (place - first) * (to[i] - value)));
	return 1.05 / (under + 0.05) >= (under + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

/** What lies highest and lowest in a column, for the sentence that stands for a chart. */
export function ends(rows, column, name, show) {
	const known = rows.filter((row) => isNumber(row[column])).sort((a, b) => a[column] - b[column]);
	const say = (row) => `${name(row)} (${show(row[column])})`;
	if (known.length === 0) return 'no values';
	return known.length === 1 ? say(known[0]) : `highest ${say(known.at(-1))}, lowest ${say(known[0])}`;
}
