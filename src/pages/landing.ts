import { basename } from 'node:path/posix';
import { type RequestHandler, Router } from 'express';
import { PAGES } from '../contract/addresses.ts';
import type { Contract } from '../contract/contract.ts';
import { literalPath } from '../http/router.ts';
import { send } from '../http/reply.ts';
import { ICON, LEAF, LOOK } from './look.ts';
import { escapeHtml, type PageOptions, securityHeaders } from './security-headers.ts';

/** The page at `/` that leads browsers to the docs. Other clients get a 404: the page is not in the contract. */
export function createLanding({ contract, basePath, https }: PageOptions): Router {
  // All replies share one Buffer.
  const page = Buffer.from(render(contract.document.info));
  const secure = securityHeaders(page.toString(), https, { 'img-src': ['data:'], 'form-action': ["'none'"] });
  const router = Router({ caseSensitive: true, strict: true });
  router.all(literalPath(basePath + PAGES.landing), forBrowsers, secure, (_request, { context }) => {
    send(context, 200, { 'Cache-Control': 'no-cache' }, 'text/html; charset=utf-8', page);
  });
  // The page's links are relative.
  if (basePath !== '') {
    router.all(literalPath(basePath), forBrowsers, secure, (_request, { context }) => {
      send(context, 301, { Location: `./${basename(basePath)}/`, 'Cache-Control': 'no-cache' });
    });
  }
  return router;
}

/** Continues to the page for clients that prefer HTML to JSON. A client that accepts anything counts as a program. */
const forBrowsers: RequestHandler = (request, response, next) => {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads) response.vary('Accept');
  next(reads && request.accepts(['json', 'html']) === 'html' ? undefined : 'router');
};

const STYLE = `${LOOK}
body { min-height: 100vh; display: grid; align-content: center; padding: 2rem 1.25rem; font-size: 1.125rem }
main { width: 100%; max-width: 36rem; margin: auto; overflow-wrap: anywhere }
svg { width: 3.5rem; height: 3.5rem; display: block }
h1 { margin: 1rem 0 0; font-size: clamp(2rem, 8vw, 3rem); line-height: 1.15 }
p { margin: .75rem 0 }
.docs { display: inline-block; margin-top: .75rem; padding: .6rem 1.4rem; border-radius: .5rem;
  background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none }
.quiet { color: var(--quiet); font-size: 1rem }
`;

function render({ title, summary, version }: Contract['document']['info']): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<main>
${LEAF.replace('<svg', '<svg aria-hidden="true"')}
<h1>${escapeHtml(title)}</h1>
${summary === undefined ? '' : `<p>${escapeHtml(summary)}</p>\n`}<p>This is a service for programs, over HTTP. Its documentation says how to call it, and lets you try it here.</p>
<p><a class="docs" href=".${PAGES.docs}/">Read the documentation</a></p>
<p class="quiet">The contract, version ${escapeHtml(version)}: <a href=".${PAGES.yaml}">openapi.yaml</a>, <a href=".${PAGES.json}">openapi.json</a></p>
</main>
</body>
</html>
`;
}
