// Before the first paint: whether the page is light or dark, as its reader chose or as the system is. It stands in each page as
// it is here, without a wait for a file; the pages' policy (svelte.config.js) knows it by its hash.
(() => {
	const system = matchMedia('(prefers-color-scheme: dark)');
	let isPrinting = false;

	function chosen() {
		try {
			return localStorage.getItem('appearance');
		} catch {
			return null;
		}
	}

	function apply() {
		const choice = chosen();
		const wanted = choice === 'light' || choice === 'dark' ? choice : system.matches ? 'dark' : 'light';
		document.documentElement.dataset.appearance = isPrinting ? 'light' : wanted;
	}

	const print = (is) => () => {
		isPrinting = is;
		apply();
	};

	// The last two are Evidence's, around the drawing of charts for its own "Print PDF".
	for (const name of ['beforeprint', 'export-beforeprint']) addEventListener(name, print(true));
	for (const name of ['afterprint', 'export-afterprint']) addEventListener(name, print(false));
	for (const name of ['storage', 'appearance']) addEventListener(name, apply);
	system.addEventListener('change', apply);
	apply();
})();
