import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { Router } from 'express';
import helmet from 'helmet';
import swaggerUi from 'swagger-ui-express';
import { parseDocument } from 'yaml';
import type { Contract } from './contract/contract.ts';
import { ErrorNumber, Refusal } from './contract/errors.ts';
import { literalPath } from './contract/paths.ts';
import { send } from './contract/send.ts';

export interface DocsOptions {
  readonly contract: Contract;
  readonly basePath: string;
  readonly https: boolean;
}

const OPTIONS = {
  customCss: '',
  swaggerOptions: {
    // Without the bar at the top, which advertises Swagger and brings styles of its own.
    layout: 'BaseLayout',
    // Seen from /docs/: right behind any prefix.
    url: '../openapi.json',
    persistAuthorization: true,
    displayRequestDuration: true,
    // Nothing is sent to a validator on the internet.
    validatorUrl: null,
  },
};

/** `/docs` (Swagger UI), and the contract as served: `/openapi.yaml` and `/openapi.json`. */
export function createDocs({ contract, basePath, https }: DocsOptions): Router {
  const { title } = contract.document.info;
  const page = swaggerUi.generateHTML(undefined, { ...OPTIONS, customSiteTitle: title });
  const secure = securityHeaders(page, https);
  const router = Router({ caseSensitive: true, strict: true });
  const base = literalPath(basePath);
  const document = (path: string, mediaType: string, text: string) => {
    router.get(base + path, secure, (_request, response) => {
      send(response, 200, { 'Cache-Control': 'no-cache' }, mediaType, text);
    });
  };
  const { yaml, json } = served(contract.yaml, basePath);
  document('/openapi.yaml', 'application/yaml', yaml);
  document('/openapi.json', 'application/json', json);
  document('/docs/', 'text/html; charset=utf-8', page);
  // The page refers to its files by relative paths.
  router.get(`${base}/docs`, secure, (_request, response) => {
    response.redirect(301, 'docs/');
  });
  router.get(`${base}/docs/*file`, secure);
  router.use(`${base}/docs/`, swaggerUi.serveFiles(undefined, OPTIONS));
  router.all(
    ['/openapi.yaml', '/openapi.json', '/docs', '/docs/'].map((path) => base + path),
    readOnly,
  );
  return router;
}

const readOnly: RequestHandler = (request) => {
  throw new Refusal(ErrorNumber.methodNotAllowed, `${request.method} is not allowed here, but GET, HEAD`, {
    Allow: 'GET, HEAD',
  });
};

/** Only what the page is made of is allowed: its own files, the inline styles that it has today, and its own service. */
function securityHeaders(page: string, https: boolean): RequestHandler {
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => {
    return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  });
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", ...styles],
        // Swagger UI sets style attributes in its markup.
        'style-src-attr': ["'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // Browsers ignore these over http, some with an error in the console.
    strictTransportSecurity: https,
    crossOriginOpenerPolicy: https,
    originAgentCluster: https,
  });
}

/**
 * The contract with the address under which this service is mounted, which the browser completes. Integers are read as
 * bigint and written digit by digit: those of 64 bits would be rounded otherwise.
 */
function served(yaml: string, basePath: string): { readonly yaml: string; readonly json: string } {
  const document = parseDocument(yaml, { intAsBigInt: true });
  if (basePath !== '') document.set('servers', document.createNode([{ url: basePath }]));
  const json = JSON.stringify(document.toJS(), (_name, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
  return { yaml: basePath === '' ? yaml : document.toString({ lineWidth: 0 }), json };
}
