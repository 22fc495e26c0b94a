/** A description or a number of the project's own files, as a reader wants it: no backticks, a true minus, commas. */
export const plain = (text) => String(text ?? '').replaceAll('`', '');
export const plainNumber = (value) => Number(value).toLocaleString('en', { maximumFractionDigits: 6 }).replace('-', '−');
