// Evidence's template takes this as a preset: its parts are drawn in the colours of components/theme.css, light and dark.
const STEPS = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950];
const scale = (name) => Object.fromEntries(STEPS.map((step) => [step, `rgb(var(--tw-${name}-${step}) / <alpha-value>)`]));

/** @type {import('tailwindcss').Config} */
module.exports = {
	content: [],
	theme: { extend: { colors: { white: 'rgb(var(--tw-white) / <alpha-value>)', gray: scale('gray'), blue: scale('blue') } } }
};
