import { readFileSync } from 'node:fs';

/** The styles that all pages share. */
export const LOOK = readFileSync(new URL('look.css', import.meta.url), 'utf8');

export const LEAF = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2e7d32" d="M7 15V9Q1 9 1 3q6 0 7 4 1-6 7-6 0 7-6 8v6z"/></svg>`;

/** The icon of a page, as an address. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(LEAF)}`;
