import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

// Evidence's page template holds one inline script besides SvelteKit's own (which SvelteKit hashes itself).
const inTemplate = createHash('sha256').update('\n\t\t\t\n\t\t').digest('base64');

/** Merged into Evidence's own configuration: no page may load from another host or run a script found in its data. */
export default {
	kit: {
		// 4.8 MB of logos, of which Evidence's header could show two.
		alias: { '@steeze-ui/simple-icons': fileURLToPath(new URL('components/logos.js', import.meta.url)) },
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
