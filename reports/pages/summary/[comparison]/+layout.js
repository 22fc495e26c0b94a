// A suite may have none of these pages: then no link leads to one, and the build must not stop for it.
export const prerender = 'auto';
