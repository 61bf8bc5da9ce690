import { type OpenApiDocument, type PathItem, refuse, type Server } from './document.ts';

const VARIABLE = /\{[^}]*\}/;
const VARIABLES = /\{([^}]*)\}/g;

/** The service's own pages, below the path of BASE_URL. What is below `docs` belongs to it. */
export const PAGES = { landing: '/', docs: '/docs', yaml: '/openapi.yaml', json: '/openapi.json' } as const;

/**
 * The path that `servers` puts in front of all paths of the contract: '' or such as `/api/v1`.
 *
 * @throws ContractError if it is not known, or no request would reach a path of the contract
 */
export function readBasePath({ servers = [], paths = {} }: OpenApiDocument): string {
  const [first, ...others] = servers;
  const basePath = first === undefined ? '' : pathOf(first);
  for (const other of others)
    if (pathOf(other) !== basePath)
      refuse(other, 'servers', 'all servers must have one path: that of the first is used');
  const templates: string[] = [];
  for (const [path, item] of Object.entries(paths)) {
    requireForm(path, item);
    refusePage(basePath + path, item);
    // Those without variables come first.
    if (!VARIABLE.test(path)) continue;
    const hiding = templates.find((each) => matches(each, path));
    if (hiding !== undefined)
      refuse(
        item,
        path,
        `${hiding} stands before it and matches all of its requests: put this path first, or join them`,
      );
    templates.push(path);
  }
  return basePath;
}

/** The names of the variables of a path template. */
export function variablesOf(template: string): string[] {
  return [...template.matchAll(VARIABLES)].map(([, name = '']) => name);
}

/** Whether a template matches all that another path does: it takes the other's variables for text. */
function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.split(VARIABLE).map(RegExp.escape).join('[^/]+')}$`).test(path);
}

function requireForm(path: string, item: PathItem): void {
  const variables = variablesOf(path);
  const example = path.replaceAll(VARIABLES, 'x');
  if (/[{}]/.test(example) || variables.includes(''))
    refuse(item, path, 'a brace must belong to a variable that has a name, such as {id}');
  if (path.split('/').some((segment) => variablesOf(segment).length > 1))
    refuse(item, path, 'a segment can have one variable: put a slash between two, or read both as one');
  if (new Set(variables).size < variables.length) refuse(item, path, 'a variable cannot stand twice in a path');
  if (URL.parse(`http://service${example}`)?.pathname !== example)
    refuse(item, path, 'clients send it in another form: write it percent-encoded, without dots and query');
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
