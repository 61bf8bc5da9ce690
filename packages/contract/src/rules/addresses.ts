import { directly } from '../schema/findings.ts';
import { METHODS, type OpenApiDocument, pathItemsOf, type PathItem, refuse, type Server } from '../schema/document.ts';

const VARIABLE = /\{[^}]*\}/;
const VARIABLES = /\{([^}]*)\}/g;

/** The service's own pages, below the path of BASE_URL. All paths below `docs` belong to that page. */
export const PAGES = { root: '/', docs: '/docs', yaml: '/openapi.yaml', json: '/openapi.json' } as const;

/** @throws ContractError if the first server has no path, or no request can reach a path of the contract */
export function readBasePath(
  document: OpenApiDocument,
  attempt = directly,
  isSound: (part: object) => boolean = () => true,
): string {
  const { servers = [] } = document;
  // Operations are mounted at the path of the first server alone.
  const isList = Array.isArray(servers) && isSound(servers);
  const basePath = (isList ? attempt(() => pathOf(servers)) : undefined) ?? '';
  const known = new Map<string, string>();
  for (const [path, item] of pathItemsOf(document, attempt))
    attempt(() => {
      requireForm(path, item);
      refusePage(basePath + path, item);
      for (const method of METHODS.filter((each) => Object.hasOwn(item, each))) {
        const key = `${method} ${path.replaceAll(VARIABLES, '{}')}`;
        const same = known.getOrInsertComputed(key, () => path);
        if (same !== path) refuse(item, path, `the path ${same} matches the same requests of ${method}: join the two`);
      }
    });
  return basePath;
}

export function variablesOf(template: string): string[] {
  return [...template.matchAll(VARIABLES)].map(([, name = '']) => name);
}

/**
 * Puts what has the more concrete template first, which applies to the requests that match both (OpenAPI 3.1, Paths Object):
 * `/items/newest` before `/items/{id}`. Templates of other lengths, which match none of its requests, stay where they are.
 */
export function concreteFirst<T extends { readonly path: string }>(all: readonly T[]): T[] {
  const sorted = all.toSorted((one, other) => compareSegments(segmentsOf(one), segmentsOf(other)));
  const alike = Map.groupBy(sorted, (each) => segmentsOf(each).length);
  return all.flatMap((each) => alike.get(segmentsOf(each).length)?.shift() ?? []);
}

const segmentsOf = ({ path }: { readonly path: string }) => path.split('/');

function compareSegments(one: readonly string[], other: readonly string[]): number {
  if (one.length !== other.length) return one.length - other.length;
  const at = one.findIndex((segment, index) => concreteness(segment) !== concreteness(other[index] ?? ''));
  return at < 0 ? 0 : concreteness(other[at] ?? '') - concreteness(one[at] ?? '');
}

/** Of a segment with a variable, the length of its text. */
const concreteness = (segment: string) =>
  VARIABLE.test(segment) ? segment.replaceAll(VARIABLES, '').length : Number.MAX_SAFE_INTEGER;

/** One of the equivalent forms of a path (RFC 3986, sections 6.2.2.1 and 6.2.2.2): `/new` of `/%6eew`, `/%C3` of `/%c3`. */
export function normalized(path: string): string {
  return path.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number(`0x${escape.slice(1)}`));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/** Matches each path of the template, and each template that has no other paths: of `/{a}`, `/new` and `/{b}`. */
export function matching(template: string): RegExp {
  return new RegExp(`^${template.split(VARIABLE).map(RegExp.escape).join('[^/]+')}$`);
}

function requireForm(path: string, item: PathItem): void {
  const variables = variablesOf(path);
  const example = path.replaceAll(VARIABLES, 'x');
  if (/[{}]/.test(example) || variables.includes(''))
    refuse(item, path, 'a brace must belong to a variable that has a name, such as {id}');
  if (path.split('/').some((segment) => variablesOf(segment).length > 1))
    refuse(item, path, 'a segment can have only one variable: put a slash between the two, or join them');
  if (new Set(variables).size < variables.length) refuse(item, path, 'a path must not have the same variable twice');
  if (URL.parse(`http://service${example}`)?.pathname !== example)
    refuse(item, path, 'clients would change this path: write it percent-encoded, without dot segments and query');
  if (normalized(example) !== example)
    refuse(item, path, `clients may write this path in another way: write ${normalized(path)}`);
}

/** The url of a server with the defaults of its variables. */
export function urlOf({ url, variables }: Server): string {
  return url.replaceAll(VARIABLES, (variable, name: string) => variables?.[name]?.default ?? variable);
}

function pathOf([server]: readonly Server[]): string {
  if (server === undefined) return '';
  const url = urlOf(server);
  const [, path] = /^(?:https?:\/\/[^/?#]+)?((?:\/[^/?#]+)*)\/?$/.exec(url) ?? [];
  // Clients resolve `.` and `..`, and percent-encode the path, before they send it.
  if (
    url === '' ||
    path === undefined ||
    URL.parse(url.replace(/\/$/, ''), 'http://service')?.pathname !== (path || '/')
  ) {
    const forms = 'a path such as /api/v1, or http:// or https:// with a host and such a path';
    const without = 'percent-encoded, without dot segments or query';
    refuse(server, 'servers', `the url ${url} must be ${forms}: ${without}`);
  }
  return normalized(path);
}

/** Refuses a path or a template that matches a page of the service: one would hide the other. */
function refusePage(path: string, item: PathItem): void {
  const [, first = '', ...below] = path.replaceAll(/\{[^}]*\}/g, '{}').split('/');
  const pattern = new RegExp(`^/${first.split('{}').map(RegExp.escape).join('.+')}$`);
  const page = Object.values(PAGES).find((each) => pattern.test(each) && (below.length === 0 || each === PAGES.docs));
  if (page === undefined) return;
  const cure = 'choose another path, or mount all operations below a path by servers, such as /api';
  refuse(item, path, `${page} is a page of the service: ${cure}`);
}
