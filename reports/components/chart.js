const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text from data as text: ECharts puts what a tooltip formatter returns into the page as HTML. */
export const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => ENTITIES[c]);

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** `fmt`: pct, num (three significant digits), or how many decimals. */
export const formatNumber = (value, fmt) => {
	if (!isNumber(value)) return '–';
	// No -0.00.
	if (isNumber(fmt)) return value.toFixed(fmt).replace(/^-(0\.?0*)$/, '$1');
	return fmt === 'pct' ? `${(100 * value).toFixed(1)}%` : Number(value.toPrecision(3)).toString();
};

export const tooltip = {
	trigger: 'item',
	confine: true,
	backgroundColor: 'white',
	textStyle: { fontSize: 12, color: '#1f2937' },
	extraCssText: 'max-width: 20rem; white-space: normal; overflow-wrap: anywhere;'
};
