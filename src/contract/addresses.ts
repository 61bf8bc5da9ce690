import { type OpenApiDocument, type PathItem, refuse, type Server } from './document.ts';

/** The service's own pages, below the path of BASE_URL. What is below `docs` belongs to it. */
export const PAGES = { landing: '/', docs: '/docs', yaml: '/openapi.yaml', json: '/openapi.json' } as const;

/**
 * The path that `servers` puts in front of all paths of the contract: '' or such as `/api/v1`.
 *
 * @throws ContractError if it is not known, or a path of the contract is that of a page
 */
export function readBasePath({ servers = [], paths = {} }: OpenApiDocument): string {
  const [first, ...others] = servers;
  const basePath = first === undefined ? '' : pathOf(first);
  for (const other of others)
    if (pathOf(other) !== basePath)
      refuse(other, 'servers', 'all servers must have one path: that of the first is used');
  for (const [path, item] of Object.entries(paths)) {
    refusePage(basePath + path, item);
  }
  return basePath;
}

function pathOf(server: Server): string {
  const { url } = server;
  const [, path] = /^(?:https?:\/\/[^/?#]+)?(\/|(?:\/[^/?#]+)*)$/.exec(url) ?? [];
  // Clients resolve dots, and encode what a path cannot hold, before they send it.
  if (url === '' || path === undefined || URL.parse(url, 'http://service')?.pathname !== (path || '/')) {
    const forms = 'a path such as /api/v1, or http:// or https:// with a host and such a path';
    const without = 'percent-encoded, without variables, dots, query or a slash at its end';
    refuse(server, 'servers', `the url ${url} must be ${forms}: ${without}`);
  }
  return path === '/' ? '' : path;
}

/** A page and an operation at one path would hide each other: of a template, where it takes the path of a page. */
function refusePage(path: string, item: PathItem): void {
  const [, first = '', ...below] = path.replaceAll(/\{[^}]*\}/g, '{}').split('/');
  const pattern = new RegExp(`^/${first.split('{}').map(RegExp.escape).join('.+')}$`);
  const page = Object.values(PAGES).find((each) => pattern.test(each) && (below.length === 0 || each === PAGES.docs));
  if (page === undefined) return;
  const cure = 'choose another path, or mount all operations below a path by servers, such as /api';
  refuse(item, path, `${page} is a page of the service: ${cure}`);
}
