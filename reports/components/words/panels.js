/** Small multiples of the matrix of verdicts: short names of their columns, and their order. No imports, so that tests read it as it is. */

const SEVERAL = ' & ';

/** The shortest beginning that no other name has, its first letter large; the whole name where it begins another's. */
function beginning(name, names) {
	const others = names.filter((other) => other !== name).map((other) => other.toLowerCase());
	let n = 1;
	while (n < name.length && others.some((other) => other.startsWith(name.slice(0, n).toLowerCase()))) n += 1;
	return name.charAt(0).toUpperCase() + name.slice(1, n);
}

/** A short name for each attribute or combination: `gender & race` is G+R. */
export function codesOf(axes) {
	const attributes = [...new Set(axes.flatMap((axis) => axis.split(SEVERAL)))];
	const codes = new Map(attributes.map((name) => [name, beginning(name, attributes)]));
	return new Map(axes.map((axis) => [axis, axis.split(SEVERAL).map((name) => codes.get(name)).join('+')]));
}

/** What a panel's cells come to: how many fail, and the widest gap that is more than chance gives. */
export function sumOf(cells) {
	const known = cells.filter((cell) => cell && !cell.is_control);
	return {
		nFail: known.filter((cell) => cell.verdict === 'fail').length,
		widest: Math.max(-1, ...known.filter((cell) => cell.isBeyond).map((cell) => cell.points))
	};
}

const byName = (one, other) => one.title.localeCompare(other.title, 'en', { numeric: true });

/** How panels may be ordered: by the most fails, the widest gap, the name. Where two are alike the next decides. */
export const ORDERS = [
	{ key: 'fails', title: 'Most fails first', compare: (one, other) => other.nFail - one.nFail || other.widest - one.widest || byName(one, other) },
	{ key: 'gap', title: 'Widest gap first', compare: (one, other) => other.widest - one.widest || other.nFail - one.nFail || byName(one, other) },
	{ key: 'name', title: 'By name', compare: byName }
];

export const ordered = (panels, key) => [...panels].sort((ORDERS.find((order) => order.key === key) ?? ORDERS[0]).compare);
