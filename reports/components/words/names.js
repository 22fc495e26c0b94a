const VADER_SHARES = { pos: 'positive', neg: 'negative', neu: 'neutral' };

/** An identifier as words. */
export const words = (name) =>
	String(name ?? '')
		.replace(/\bresponse_status\b/g, 'whether an answer came')
		.replaceAll('_', ' ')
		.replace(/\bvader compound\b/g, 'VADER sentiment')
		.replace(/\bvader (pos|neg|neu)\b/g, (_, kind) => `VADER ${VADER_SHARES[kind]} share`)
		.replace(/\btopic category (?=\d)/g, 'topic ');
