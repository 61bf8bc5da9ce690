import { matching } from '../../src/rules/addresses.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * Whether an operation gets requests that another one, which is still there, got before.
 *
 * @param was the operations of the old contract, and `is` those of the new one: the first that matches a request applies
 */
export function takesRequests({ method, path }: Route, was: readonly Route[], is: readonly Route[]): boolean {
  const has = (routes: readonly Route[], name: string) =>
    routes.some((each) => each.path === path && each.method === name);
  // The operation of GET answers HEAD too, unless its path declares HEAD.
  if (method === 'HEAD' && !has(was, 'HEAD') && has(was, 'GET') && has(is, 'GET')) return true;
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  return methods.some((each) => takesPath(path, pathsOf(was, each), pathsOf(is, each)));
}

const pathsOf = (routes: readonly Route[], method: string) => [
  ...new Set(
    routes
      .filter((each) => each.method === method || (method === 'HEAD' && each.method === 'GET'))
      .map(({ path }) => path),
  ),
];

/** @param was the paths that have the method in the old contract, and `is` those in the new one */
function takesPath(path: string, was: readonly string[], is: readonly string[]): boolean {
  const precedes = (paths: readonly string[], other: string) =>
    paths.includes(path) && !paths.slice(0, paths.indexOf(path)).includes(other);
  const others = was.filter((other) => other !== path && is.includes(other));
  return others.some((other) => overlap(path, other) && precedes(is, other) && !precedes(was, other));
}

/** Whether a request may match both path templates. */
function overlap(one: string, other: string): boolean {
  const parts = other.split('/');
  return one.split('/').length === parts.length && one.split('/').every((part, at) => mayEqual(part, parts[at] ?? ''));
}

/** Whether two parts of paths may stand for the same text. */
function mayEqual(one: string, other: string): boolean {
  if (!one.includes('{') || !other.includes('{')) return matching(one).test(other) || matching(other).test(one);
  const [start, otherStart] = [one, other].map((each) => each.replace(/\{.*/, '')) as [string, string];
  const [end, otherEnd] = [one, other].map((each) => each.replace(/.*\}/, '')) as [string, string];
  const beginAlike = start.startsWith(otherStart) || otherStart.startsWith(start);
  return beginAlike && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}
