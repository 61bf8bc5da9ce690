import { asked, type Question } from './decisions.ts';
import { operationsIn } from './tree.ts';

/** HTTP gives a body no meaning there, so that a `requestBody` SHALL be ignored (OpenAPI 3.0.3, Operation Object). */
const WITHOUT_BODY: readonly string[] = ['get', 'head', 'delete', 'trace'];

export const IGNORED_BODIES: Question = {
  key: 'ignored-bodies',
  ask: ({ document, isOld }) => {
    const found = isOld
      ? operationsIn(document).filter(
          ({ node, method }) => WITHOUT_BODY.includes(method) && node['requestBody'] !== undefined,
        )
      : [];
    return asked(
      'bodies of GET, HEAD, DELETE and TRACE, which OpenAPI 3.0 ignores',
      found.map(({ node, method, path }) => ({ node, member: 'requestBody', name: `${method} ${path}` })),
      {
        name: 'leave-out',
        means: 'the operation has no body, and the service refuses a request that has one',
        apply: () => {
          for (const { node } of found) Reflect.deleteProperty(node, 'requestBody');
        },
      },
      {
        name: 'keep',
        means: 'the service reads the body, and demands it where it is required, as OpenAPI 3.1 says',
        apply: () => undefined,
      },
    );
  },
};
