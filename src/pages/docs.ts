import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { parseDocument } from 'yaml';
import { PAGES } from '../contract/addresses.ts';
import type { Contract } from '../contract/contract.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { exactJson } from '../contract/int64.ts';
import { literalPath } from '../http/router.ts';
import { headerFields, send, settleConnection } from '../http/reply.ts';
import { docsPlugin } from './docs-plugin.ts';
import { ICON, LOOK } from './look.ts';
import { escapeHtml, type PageOptions, securityHeaders } from './security-headers.ts';

const OPTIONS = {
  customCss: LOOK + readFileSync(new URL('docs.css', import.meta.url), 'utf8'),
  customfavIcon: ICON,
  swaggerOptions: {
    // This layout lacks the bar at the top, which advertises Swagger and brings styles of its own.
    layout: 'BaseLayout',
    // The url is relative to /docs/, so it stays correct when the service is mounted below a prefix.
    url: `..${PAGES.json}`,
    persistAuthorization: true,
    displayRequestDuration: true,
    // The schemas are closed at first: the operations show what they need of them.
    defaultModelsExpandDepth: 0,
    // x-… fields are documentation too.
    showExtensions: true,
    plugins: [docsPlugin],
    // By default the page sends the contract to a validator on the internet.
    validatorUrl: null,
  },
};

/** Sources that the Content-Security-Policy allows. */
const SOURCES = {
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  // Swagger UI sets style attributes in its markup.
  'style-src-attr': ["'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'form-action': ["'self'"],
};

/** The files of swagger-ui-dist that the page refers to. The other files, such as its own page, are not served. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
};

/** Routes `/docs` (Swagger UI), and the contract: `/openapi.yaml` and `/openapi.json`. */
export function createDocs({ contract, basePath, https }: PageOptions): Router {
  const { title } = contract.document.info;
  const page = swaggerUi
    .generateHTML(undefined, { ...OPTIONS, customSiteTitle: escapeHtml(title) })
    // Without this element phones show the page as wide as on a desk's screen, and small.
    .replace('<head>', '<head>\n  <meta name="viewport" content="width=device-width, initial-scale=1">');
  const secure = securityHeaders(page, https, SOURCES);
  const router = Router({ caseSensitive: true, strict: true });
  const addRoute = (path: string, handler: RequestHandler) => {
    router
      .route(literalPath(basePath + path))
      .get(secure, handler)
      .all(readOnly);
  };
  // Replies share a Buffer, and are sent in parts: thousands for slow clients take little memory, and hold up no other.
  const addBytes = (path: string, mediaType: string, cacheControl: string, bytes: Buffer) => {
    addRoute(path, (_request, { context }) => {
      send(context, 200, { 'Cache-Control': cacheControl }, mediaType, bytes);
    });
  };
  const { yaml, json } = withServer(contract, basePath);
  addBytes(PAGES.yaml, 'application/yaml', 'no-cache', Buffer.from(yaml));
  addBytes(PAGES.json, 'application/json', 'no-cache', Buffer.from(json));
  addBytes(`${PAGES.docs}/`, 'text/html; charset=utf-8', 'no-cache', Buffer.from(page));
  const clients = readFileSync(new URL('../../docs/clients.md', import.meta.url));
  addBytes(`${PAGES.docs}/clients.md`, 'text/plain; charset=utf-8', 'no-cache', clients);
  // The page's paths of files are relative: they need the slash.
  addRoute(PAGES.docs, (_request, { context }) => {
    send(context, 301, { Location: 'docs/' });
  });
  const [initialise] = swaggerUi.serveFiles(undefined, OPTIONS);
  if (initialise === undefined) throw new Error('swagger-ui-express no longer has a script that initialises its page');
  addRoute(`${PAGES.docs}/swagger-ui-init.js`, (request, response, next) => {
    settleConnection(response.context);
    const fields = headerFields(response.context);
    for (let at = 0; at < fields.length; at += 2) response.appendHeader(fields[at] ?? '', fields[at + 1] ?? '');
    initialise(request, response, next);
  });
  const packages = createRequire(import.meta.url);
  for (const [name, mediaType] of Object.entries(FILES)) {
    const file = readFileSync(packages.resolve(`swagger-ui-dist/${name}`));
    addBytes(`${PAGES.docs}/${name}`, mediaType, 'public, max-age=3600', file);
  }
  return router;
}

const readOnly: RequestHandler = (request) => {
  throw new Refusal(ErrorNumber.methodNotAllowed, `the method ${request.method} is not allowed here: use GET, HEAD`, {
    Allow: 'GET, HEAD',
  });
};

/**
 * The contract with this service as its server: a path, which the browser completes. Integers are read as bigint and
 * written digit by digit: as a number, an integer of 64 bits would be rounded.
 */
function withServer(contract: Contract, basePath: string): { readonly yaml: string; readonly json: string } {
  const document = parseDocument(contract.yaml, { intAsBigInt: true });
  const { servers = [] } = contract.document;
  const asWritten = basePath === '' && servers.every(({ url }) => url.startsWith('/'));
  if (!asWritten) document.set('servers', document.createNode([{ url: basePath + contract.basePath || '/' }]));
  return { yaml: asWritten ? contract.yaml : document.toString({ lineWidth: 0 }), json: exactJson(document.toJS()) };
}
