/** Evidence's own charts, which no page has. What pages draw comes by charts/chart.js, after the page can be used. */
export const [connect, init, registerMap, registerTheme, throttle] = [];
