// The sheet at work. Everything that others wrote (prompts, answers, labels, titles) is put on the page by textContent alone.
(() => {
	'use strict';

	const data = JSON.parse(document.getElementById('data').textContent);
	const part = (id) => document.getElementById(id);
	const LETTERS = 'abcdefghijklmopqrtuvwxyz'; // after 1 to 9; S skips and N notes
	const MOST_SECONDS = 600; // of one look: longer is a pause
	const COLUMNS = ['label', 'note', 'annotator', 'seconds', 'labelled_at', 'category', 'outcome_set', 'response_key', 'sample_key'];

	let annotator = '';
	let order = []; // places in data.items
	let at = 0; // place in `order`
	let records = new Map(); // place in data.items -> { choice, note, seconds, time }; `choice` is undefined where there is none yet
	let skipped = new Set();
	let isUnsaved = false;
	let shownAt = 0;

	const plain = (name) => name.replaceAll('_', ' ');
	const number = (value) => String(Number(value.toPrecision(6))).replace('-', '−');
	const some = (n, one, many) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
	const isLabelled = (place) => records.get(place)?.choice !== undefined;
	const left = () => order.filter((place) => !isLabelled(place));

	function element(name, text, attributes = {}) {
		const made = document.createElement(name);
		made.textContent = text;
		for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
		return made;
	}

	// What can be chosen of a question: { choice, text, key }. A choice is a label, a number, or null: it cannot be told.
	function choicesOf(question) {
		const keys = [...'123456789', ...LETTERS];
		const named = question.steps
			? question.steps.map((value, i) => ({ choice: value, text: number(value) + ([' lowest', '', '', '', ' highest'][i] ?? '') }))
			: Object.keys(question.labels).map((label) => ({ choice: label, text: plain(label) }));
		const found = named.map((one, i) => ({ ...one, key: keys[i] }));
		if (!question.steps) found.push({ choice: question.none, text: 'None of these', key: '0', isNone: true });
		return [...found, { choice: null, text: 'It cannot be told', key: '?' }];
	}

	const choices = data.questions.map(choicesOf);

	// Another order for each annotator, the same for the same one: question by question, for who judges one thing at a time judges alike.
	function shuffled(list, random) {
		const mixed = [...list];
		for (let i = mixed.length - 1; i > 0; i--) {
			const j = Math.floor(random() * (i + 1));
			[mixed[i], mixed[j]] = [mixed[j], mixed[i]];
		}
		return mixed;
	}

	function randomFrom(text) {
		let state = 2166136261;
		for (const character of text) state = Math.imul(state ^ character.codePointAt(0), 16777619);
		return () => {
			state = (state + 0x6d2b79f5) | 0;
			let mixed = Math.imul(state ^ (state >>> 15), state | 1);
			mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
			return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
		};
	}

	function orderFor(name) {
		const random = randomFrom(`${data.sample} ${name}`);
		const places = data.items.map((_, i) => i);
		return shuffled(data.questions.keys(), random).flatMap((question) =>
			shuffled(
				places.filter((place) => data.items[place].question === question),
				random
			)
		);
	}

	// What is kept in the browser. It may hold anything, or be switched off.
	const keptAs = () => `plumbline labels ${data.sample} ${annotator}`;

	function keep() {
		try {
			localStorage.setItem(keptAs(), JSON.stringify({ records: [...records], isUnsaved }));
		} catch {
			warn('This browser does not keep what you choose: save to a file before you close this page.');
		}
	}

	function warn(text) {
		part('warning').textContent = text;
		part('warning').hidden = false;
	}

	function restore() {
		records = new Map();
		skipped = new Set();
		isUnsaved = false;
		let kept;
		try {
			kept = JSON.parse(localStorage.getItem(keptAs()) ?? 'null');
		} catch {
			kept = null;
		}
		if (!Array.isArray(kept?.records)) return;
		for (const [place, record] of kept.records.filter((one) => Array.isArray(one) && one[1])) {
			const item = data.items[place];
			const isKnown = item && (record.choice === undefined || choices[item.question].some(({ choice }) => choice === record.choice));
			if (isKnown) records.set(place, { note: '', seconds: 0, time: '', ...record });
		}
		isUnsaved = Boolean(kept.isUnsaved);
	}

	function change(place, changes) {
		const before = records.get(place) ?? { choice: undefined, note: '', seconds: 0, time: '' };
		records.set(place, { ...before, ...changes });
		isUnsaved = true;
		keep();
	}

	// Seconds since the answer was shown, or since they were last asked for; while the page is hidden nobody looks.
	function look() {
		const now = performance.now();
		const seconds = document.hidden ? 0 : Math.min(MOST_SECONDS, (now - shownAt) / 1000);
		shownAt = now;
		return seconds;
	}

	let looked = 0; // seconds of the answer that is shown, before the page was hidden
	document.addEventListener('visibilitychange', () => {
		if (document.hidden) looked += Math.min(MOST_SECONDS, (performance.now() - shownAt) / 1000);
		shownAt = performance.now();
	});

	function open(id) {
		for (const section of ['start', 'work', 'end']) part(section).hidden = section !== id;
		part('status').textContent = '';
		window.scrollTo(0, 0);
	}

	function timeLeft() {
		const spent = [...records.values()].filter(({ choice }) => choice !== undefined).map(({ seconds }) => seconds);
		if (spent.length < 5) return '';
		const middle = spent.sort((a, b) => a - b)[Math.floor(spent.length / 2)];
		const minutes = Math.ceil((middle * left().length) / 60);
		return left().length === 0 ? '' : ` · about ${some(minutes, 'minute', 'minutes')} left`;
	}

	function showCount() {
		const done = order.length - left().length;
		part('progress').max = order.length;
		part('progress').value = done;
		part('count').textContent = `${done.toLocaleString('en')} of ${order.length.toLocaleString('en')} labelled${timeLeft()}`;
	}

	function show(place) {
		at = Math.max(0, Math.min(order.length - 1, place));
		const item = data.items[order[at]];
		const question = data.questions[item.question];
		const record = records.get(order[at]);
		open('work');
		showCount();
		part('question').textContent = question.title;
		part('about').textContent = question.description;
		part('prompt').textContent = item.prompt;
		part('answer').textContent = item.answer.trim() === '' ? '(nothing)' : item.answer;
		const asked = question.steps ? 'Where does the answer lie' : 'Which of these does the answer say';
		part('choices-title').textContent = `${asked}: ${plain(question.outcome_set)}?`;
		part('choices').replaceChildren(
			...choices[item.question].map((one) => {
				const button = element('button', '', { type: 'button', 'aria-pressed': String(record?.choice === one.choice && record !== undefined) });
				if (one.key) button.append(element('kbd', one.key.toUpperCase()));
				button.append(element('span', one.text, { dir: 'auto' }));
				if (one.isNone && question.none in question.labels) button.append(element('span', `(${plain(question.none)})`));
				button.addEventListener('click', () => choose(one.choice));
				return button;
			})
		);
		const explained = Object.entries(question.labels).filter(([, phrases]) => phrases.length > 0);
		part('examples').hidden = explained.length === 0;
		part('phrases').replaceChildren(
			...explained.flatMap(([label, phrases]) => [element('dt', plain(label), { dir: 'auto' }), element('dd', phrases.join('; '), { dir: 'auto' })])
		);
		part('note').value = record?.note ?? '';
		openNote(Boolean(record?.note));
		part('back').disabled = at === 0;
		part('status').textContent = `Answer ${at + 1} of ${order.length}${skipped.has(order[at]) ? ', skipped before' : ''}.`;
		for (const box of ['prompt', 'answer']) part(box).scrollTop = 0;
		part('answer').focus({ preventScroll: true });
		looked = 0;
		shownAt = performance.now();
	}

	function showEnd() {
		open('end');
		const n = left().length;
		part('end-title').textContent = n === 0 ? `All ${some(order.length, 'answer is', 'answers are')} labelled` : `${some(n, 'answer is', 'answers are')} left`;
		part('end-text').textContent = isUnsaved ? 'Save to a file, and hand it back.' : n < order.length ? 'What you chose is saved to a file: hand it back.' : 'Nothing is chosen yet.';
		part('skipped').hidden = n === 0;
		part('end-title').focus();
	}

	// On to the next that is neither labelled nor skipped; from the last one to those before it.
	function next() {
		const isOpen = (place) => !isLabelled(place) && !skipped.has(place);
		const after = order.findIndex((place, i) => i > at && isOpen(place));
		const found = after >= 0 ? after : order.findIndex(isOpen);
		if (found >= 0) show(found);
		else showEnd();
	}

	function choose(choice) {
		const place = order[at];
		change(place, { choice, seconds: (records.get(place)?.seconds ?? 0) + looked + look(), time: new Date().toISOString() });
		skipped.delete(place);
		next();
	}

	function skip() {
		skipped.add(order[at]);
		next();
	}

	const forward = () => (at + 1 < order.length ? show(at + 1) : showEnd());

	function openNote(isOpen) {
		part('noted').hidden = !isOpen;
		part('write').setAttribute('aria-expanded', String(isOpen));
	}

	function write() {
		openNote(true);
		part('note').focus();
	}

	// Files. As in the table: an apostrophe before what a spreadsheet would compute, unless it is a number.
	function cell(value) {
		const text = String(value ?? '');
		const isFormula = /^'*\s*[=+@＝＋－＠-]/.test(text) && !(text.trim() !== '' && Number.isFinite(Number(text)));
		return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
	}

	function csv() {
		const rows = [COLUMNS];
		for (const place of order.filter(isLabelled)) {
			const { choice, note, seconds, time } = records.get(place);
			const item = data.items[place];
			const { category, outcome_set: outcomeSet } = data.questions[item.question];
			for (const key of item.keys) {
				const spent = (seconds / item.keys.length).toFixed(1);
				rows.push([choice ?? '?', note, annotator, spent, time, category, outcomeSet, key, data.sample]);
			}
		}
		return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
	}

	function save() {
		const n = order.length - left().length;
		if (n === 0) {
			part('status').textContent = 'Nothing is labelled yet.';
			return;
		}
		const who = annotator.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'annotator';
		const file = `${data.name}-${who}.csv`;
		const link = element('a', '', { download: file });
		link.href = URL.createObjectURL(new Blob([csv()], { type: 'text/csv' }));
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
		isUnsaved = false;
		keep();
		if (!part('end').hidden) showEnd();
		part('status').textContent = `${some(n, 'label', 'labels')} saved to ${file}.`;
	}

	function onKey(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || part('work').hidden) return;
		if (event.target === part('note')) {
			if (event.key === 'Escape') part('answer').focus();
			return;
		}
		const moves = { ArrowLeft: () => show(at - 1), ArrowRight: forward, s: skip, n: write };
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
		const chosen = choices[data.items[order[at]].question].find((one) => one.key === key);
		if (!chosen && !moves[key]) return;
		event.preventDefault();
		if (event.repeat) return; // a key that is held down chooses once
		if (chosen) choose(chosen.choice);
		else moves[key]();
	}

	part('start-title').textContent = `${data.title}: answers to label`;
	document.title = part('start-title').textContent;
	const n = data.items.reduce((sum, { keys }) => sum + keys.length, 0);
	const alike = n > data.items.length ? `, of which ${some(data.items.length, 'looks', 'look')} different: those that look the same come once` : '';
	part('start-size').textContent = `${some(n, 'answer', 'answers')}${alike}. ${some(data.questions.length, 'question', 'questions')}.`;
	part('who').addEventListener('submit', (event) => {
		event.preventDefault();
		annotator = part('annotator').value.trim().replace(/\s+/g, ' ');
		if (annotator === '') return part('annotator').focus();
		order = orderFor(annotator);
		restore();
		keep();
		at = -1;
		next();
	});
	part('note').addEventListener('input', () => change(order[at], { note: part('note').value }));
	for (const [id, does] of Object.entries({
		save,
		'save-last': save,
		back: () => show(at - 1),
		forward,
		skip,
		write,
		skipped: () => show(order.indexOf(left()[0])),
		again: () => show(0)
	})) {
		part(id).addEventListener('click', does);
	}
	document.addEventListener('keydown', onKey);
	window.addEventListener('beforeunload', (event) => {
		if (isUnsaved) event.preventDefault();
	});
	part('annotator').focus();
})();
