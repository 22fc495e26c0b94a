/**
 * Rows with what they share with others. Each of `tables` is `{ rows, by }`: a row that has the same values in the columns `by`
 * gives its others. A page then loads once what many rows have in common.
 */
export function withShared(rows, ...tables) {
	const keyOf = (row, by) => JSON.stringify(by.map((name) => row[name]));
	const known = tables.map(({ rows: shared, by }) => ({ by, found: new Map(Array.from(shared ?? [], (row) => [keyOf(row, by), row])) }));
	return Array.from(rows ?? [], (row) => known.reduce((whole, { by, found }) => ({ ...found.get(keyOf(whole, by)), ...whole }), row));
}
