import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// The inline scripts besides SvelteKit's own (which SvelteKit hashes itself): one of Evidence's page template, and ours.
const inline = ['\n\t\t\t\n\t\t', readFileSync(at('components/frame/appearance.js'))].map((script) => `sha256-${createHash('sha256').update(script).digest('base64')}`);

/** A package's whole is a file of ours, which takes what is needed out of its parts. */
const instead = (name, file) => ({ [name]: at(`components/${file}`), [`${name}/*`]: at(`node_modules/${name}/*`) });

/** Merged into Evidence's own configuration: no page may load from another host or run a script found in its data. */
export default {
	kit: {
		alias: {
			...instead('@evidence-dev/core-components', 'patches/evidence.js'),
			...instead('echarts', 'patches/no_echarts.js'),
			// 4.8 MB of logos, of which Evidence's header could show two.
			...instead('@steeze-ui/simple-icons', 'patches/logos.js')
		},
		csp: {
			mode: 'hash',
			directives: {
				'default-src': ['self'],
				'script-src': ['self', 'wasm-unsafe-eval', ...inline],
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
