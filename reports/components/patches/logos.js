/** Stands in for a package of all logos: the header's two, which these pages do not use. */
export const Github = {};
export const Slack = {};
