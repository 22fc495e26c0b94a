/** Words of the story. No imports, so that tests read it as it is. */

// What the verdict lets a headline say: a pass is about these prompts and the limit, never that groups are alike.
const ASKS = {
	fail: 'treats groups differently',
	monitor: 'treats groups differently, within the limit',
	inconclusive: 'may treat groups differently, or not: this audit cannot tell',
	pass: 'differs between groups by no more than the limit, on these prompts'
};

/** The headline of a finding: `who` gave the answers, `verdict` is the gravest. */
export const headlineOf = (who, verdict) => (ASKS[verdict] ? `${who} ${ASKS[verdict]}` : `${who}: nothing could be judged`);

/** What stands beside a quoted answer: what it is read as, or, where only that is told, what became of its request. */
export function readAs(measure, outcome) {
	if (!outcome) return '';
	if (measure !== 'response_status') return `read as ${outcome.replaceAll('_', ' ')}`;
	return outcome === 'ok' ? 'an answer came' : `ended as ${outcome.replaceAll('_', ' ')}`;
}
