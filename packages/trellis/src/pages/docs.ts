import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path/posix';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import swaggerUi from 'swagger-ui-express';
import { isAlias, type Node, visit } from 'yaml';
import { type Contract, PAGES, type Parsed, parseYaml, type Server } from 'trellis-contract';
import { exactJson } from 'trellis-contract/ground';
import { send } from '../http/reply.ts';
import { literalPath, onlyAllow } from '../http/router.ts';
import { digitsPlugin } from './digits-plugin.ts';
import { docsPlugin } from './docs-plugin.ts';
import { serveFile } from './files.ts';
import type { PageFacts } from './swagger-ui.ts';

const LEAF = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2e7d32" d="M7 15V9Q1 9 1 3q6 0 7 4 1-6 7-6 0 7-6 8v6z"/></svg>`;

/** So many operations are hard to find in one list. */
const MANY = 15;

type DocsOptions = ReturnType<typeof optionsOf>;

function optionsOf({ operations }: Contract) {
  const bodies = operations.flatMap(({ body }) => [...(body?.types ?? [])]);
  return {
    customCss: readFileSync(new URL('docs.css', import.meta.url), 'utf8'),
    customfavIcon: `data:image/svg+xml,${encodeURIComponent(LEAF)}`,
    swaggerOptions: {
      // This layout lacks the bar at the top, which advertises Swagger.
      layout: 'BaseLayout',
      // The url is relative to /docs/, so it stays correct when the service is mounted below a prefix.
      url: `..${PAGES.json}`,
      // x-… fields are documentation too.
      showExtensions: true,
      // The bounds of parameters.
      showCommonExtensions: true,
      // An operation is ready to be sent as soon as it is open.
      tryItOutEnabled: true,
      syntaxHighlight: { activated: false },
      defaultModelsExpandDepth: 0,
      // For these bodies the page has a button that chooses a file.
      fileUploadMediaTypes: bodies.flatMap(([type, { kind }]) => (kind === 'bytes' ? [type] : [])),
      filter: operations.length >= MANY,
      // By default the page sends the contract to a validator on the internet.
      validatorUrl: null,
    },
  };
}

const SCRIPT = 'text/javascript; charset=utf-8';
/** At each visit, clients ask whether their copy is the newest. */
const VALIDATED = 'no-cache';
const FOR_AN_HOUR = 'public, max-age=3600';

interface PageOptions {
  readonly contract: Contract;
  readonly name: string;
  readonly tokenPrefix: string;
  /** The path of the service's public address: '' or such as `/api`. */
  readonly basePath: string;
  readonly https: boolean;
}

/** Routes `/docs` (Swagger UI), and the contract: `/openapi.yaml` and `/openapi.json`. `/` leads to `/docs/`. */
export function createDocs({ contract, name, tokenPrefix, basePath, https }: PageOptions): Router {
  const options = optionsOf(contract);
  const page = pageOf(contract, options);
  const secure = securityHeaders(page, https);
  const router = Router({ caseSensitive: true, strict: true });
  const addRoute = (path: string, handler: RequestHandler) => {
    router
      .route(literalPath(basePath + path))
      .get(secure, handler)
      .all(onlyAllow('GET, HEAD'));
  };
  const addFile = (path: string, mediaType: string, cacheControl: string, content: Buffer | string) =>
    addRoute(path, serveFile(mediaType, cacheControl, Buffer.from(content)));
  const { yaml, json } = withServer(contract, basePath);
  addFile(PAGES.yaml, 'application/yaml', VALIDATED, yaml);
  addFile(PAGES.json, 'application/json', VALIDATED, json);
  addFile(`${PAGES.docs}/`, 'text/html; charset=utf-8', VALIDATED, page);
  addFile(`${PAGES.docs}/swagger-ui-init.js`, SCRIPT, VALIDATED, initialScript(options));
  // The page would load this file, of 268 KB, for a bar that its layout lacks: the file has the plugins instead.
  const facts: PageFacts = { storageKey: `token of ${name}, ${basePath}/`, tokenPrefix };
  const plugins = `(system) => (${String(docsPlugin)})(system, ${JSON.stringify(facts)}), ${String(digitsPlugin)}`;
  const preset = `const SwaggerUIStandalonePreset = [${plugins}];`;
  addFile(`${PAGES.docs}/swagger-ui-standalone-preset.js`, SCRIPT, VALIDATED, preset);
  const packages = createRequire(import.meta.url);
  const bundle = readFileSync(packages.resolve('swagger-ui-dist/swagger-ui-bundle.js'));
  addFile(`${PAGES.docs}/swagger-ui-bundle.js`, SCRIPT, FOR_AN_HOUR, bundle);
  // The page's paths of files are relative: they need the slash.
  addRoute(PAGES.docs, redirect(301, 'docs/'));
  addRoute(PAGES.root, redirect(302, './docs/'));
  if (basePath !== '') addRoute('', redirect(302, `./${basename(basePath)}/docs/`));
  return router;
}

const redirect =
  (status: number, location: string): RequestHandler =>
  (_request, { context }) =>
    send(context, status, { Location: location });

/**
 * The page of swagger-ui-express without its styles, with what it lacks, and with the operations and the description of
 * the service as plain text: a slow line shows it some seconds before Swagger UI, and a browser without scripts shows
 * nothing else.
 */
function pageOf({ document, operations }: Contract, options: DocsOptions): string {
  const { title, summary = title, description = '' } = document.info;
  const links = [PAGES.yaml, PAGES.json].map((path) => `<a href="..${path}">${path.slice(1)}</a>`);
  const name = escapeHtml(title);
  const words = escapeHtml(summary);
  const list = operations.map(
    (each) => `<li><code>${each.method} ${escapeHtml(each.path)}</code> ${escapeHtml(each.summary ?? '')}</li>`,
  );
  return swaggerUi
    .generateHTML(undefined, { ...options, customSiteTitle: name })
    .replace(
      '<head>',
      `$&
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${words}">`,
    )
    .replace(
      '<div id="swagger-ui">',
      `$&<main><h1>${name}</h1><p>${words}</p><p>${links.join(' ')}</p><ul>${list.join('')}</ul>${plainHtml(description)}</main>`,
    )
    .replace(/<link [^>]*swagger-ui\.css[^>]*>/, '')
    .replaceAll('<script src=', '<script defer src=');
}

/** The headings, paragraphs and lists of a text in Markdown, without its emphasis. */
function plainHtml(markdown: string): string {
  const blocks = markdown.replaceAll(/[*`]+/g, '').split(/\n{2,}/);
  return blocks
    .map((block) => {
      const [, heading] = /^#+ (.*)/.exec(block) ?? [];
      if (heading !== undefined) return `<h2>${escapeHtml(heading)}</h2>`;
      const [before = '', ...items] = block.split(/^ *(?:-|\d+\.) +/m).map(escapeHtml);
      const list = items.map((item) => `<li>${item}</li>`).join('');
      return (before.trim() && `<p>${before}</p>`) + (list && `<ul>${list}</ul>`);
    })
    .join('');
}

function initialScript({ swaggerOptions }: DocsOptions): string {
  return `window.onload = () => {
  window.ui = SwaggerUIBundle({
    dom_id: '#swagger-ui',
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl],
    ...${JSON.stringify(swaggerOptions, null, 2)},
  });
};
`;
}

/** The headers of a page: they make the browser load and run its files and inline styles only. */
function securityHeaders(page: string, https: boolean): RequestHandler {
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, style = '']) => `'sha256-${hash('sha256', style, 'base64')}'`,
  );
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", ...styles],
        // Swagger UI sets style attributes in its markup.
        'style-src-attr': ["'unsafe-inline'"],
        // A reply that is an image is a blob to the page.
        'img-src': ["'self'", 'data:', 'blob:'],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    // Browsers ignore these over http, some with an error in the console.
    strictTransportSecurity: https,
    crossOriginOpenerPolicy: https,
    originAgentCluster: https,
  });
}

/** Escapes a text for an element, an attribute, and a replacement of `String.replace`. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"$]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The contract with this service as its first server: a path, which the browser completes. */
function withServer(
  { yaml, document, basePath }: Contract,
  mount: string,
): { readonly yaml: string; readonly json: string } {
  const [own, ...others] = document.servers ?? [];
  if (mount === '' && (own === undefined || /^\/[^{]*$/.test(own.url))) return { yaml, json: exactJson(document) };
  const server = { url: mount + basePath || '/' };
  return {
    yaml: withFirstServer(parseYaml(yaml), server),
    json: exactJson({ ...document, servers: [server, ...others] }),
  };
}

/** Edits the text, which keeps its comments. */
function withFirstServer({ parsed, aliases }: Parsed, server: Server): string {
  const copyOf = (node: Node | undefined) => parsed.createNode(node?.toJS(parsed, { maxAliasCount: -1 }));
  const servers = parsed.get('servers', true);
  if (isAlias(servers)) parsed.set('servers', copyOf(aliases.get(servers)));
  const replaced = new Set<unknown>();
  visit(parsed.getIn(['servers', 0], true) as Node | null, { Node: (_key, node) => void replaced.add(node) });
  // Aliases of what goes become copies of it.
  visit(parsed, {
    Alias: (_key, alias) => (replaced.has(aliases.get(alias)) ? copyOf(aliases.get(alias)) : undefined),
  });
  parsed.setIn(['servers', 0], parsed.createNode(server));
  return parsed.toString({ lineWidth: 0 });
}
