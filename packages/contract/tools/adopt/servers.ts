import { asked, made, type Question } from './decisions.ts';
import { basePathOf } from './reading.ts';
import { isNode, memberOf } from './tree.ts';

export const SERVERS: Question = {
  key: 'servers',
  ask: ({ document }) => {
    const all = Array.isArray(document['servers']) ? document['servers'].filter(isNode) : [];
    const list = all.filter(({ url }) => typeof url === 'string');
    const mounted = basePathOf({ servers: list });
    const paths = memberOf(document, 'paths') ?? {};
    const hidden = Object.keys(paths).find((path) => basePathOf({ servers: list, paths: { [path]: {} } }) !== mounted);
    const valid = [...new Set(list.map((each) => basePathOf({ servers: [each] })))].filter(
      (each) => each !== undefined,
    );
    // Below a path of their own, operations hide no page of the service.
    const others =
      mounted === undefined ? ['/'] : basePathOf({ servers: [{ url: '/api' }], paths }) === '/api' ? ['/api'] : [];
    const isOne = mounted !== undefined && hidden === undefined;
    // Of one path alone, the author may think otherwise, as of a server that is a mock.
    const isTold = isOne && valid.length < 2;
    const free = isTold && mounted !== '' && basePathOf({ paths }) === '' ? [mounted, ''] : [];
    if (isTold && free.length === 0) return undefined;
    const named = isTold ? free : isOne || (mounted === undefined && valid.length > 0) ? valid : others;
    const choices = named.map((path) => ({
      name: path || '/',
      means: `operations are mounted at ${path || '/'}; servers with other urls are left out`,
      apply: () => {
        const kept = list.filter((each) => basePathOf({ servers: [each] }) === path);
        document['servers'] = kept.length > 0 ? kept : [{ url: path || '/' }];
      },
    }));
    const spots = [...list.map((node) => ({ node, member: 'url', name: String(node['url']) }))];
    if (hidden !== undefined) spots.unshift({ node: paths, member: hidden, name: `${hidden}, a page of the service` });
    if (isTold) return made(asked('operations are mounted at the path of servers', spots, ...choices), 'as written');
    return choices.length === 0
      ? undefined
      : asked('operations need one path at which they are mounted', spots, ...choices);
  },
};
