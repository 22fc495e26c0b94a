import { createHash } from 'node:crypto';

// Evidence's page template holds one inline script besides SvelteKit's own (which SvelteKit hashes itself).
const inTemplate = createHash('sha256').update('\n\t\t\t\n\t\t').digest('base64');

/** Merged into Evidence's own configuration: no page may load from another host or run a script found in its data. */
export default {
	kit: {
		csp: {
			mode: 'hash',
			directives: {
				'default-src': ['self'],
				'script-src': ['self', 'wasm-unsafe-eval', `sha256-${inTemplate}`],
				'style-src': ['self', 'unsafe-inline'],
				'img-src': ['self', 'data:', 'blob:'],
				'font-src': ['self', 'data:'],
				'connect-src': ['self', 'blob:', 'data:'],
				'worker-src': ['self', 'blob:'],
				'object-src': ['none'],
				'base-uri': ['none'],
				'form-action': ['none']
			}
		}
	}
};
