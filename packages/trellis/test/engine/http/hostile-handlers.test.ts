import { expect, test } from '@jest/globals';
import type { Handler } from '../../../src/service.ts';
import { MAX } from '../../../src/http/bounds.ts';
import { startApp } from '../../support/app.ts';
import { items } from '../../services/items/index.ts';

const FAILED = '{ description: it has failed, content: { application/json: { schema: { type: object } } } }';
const YAML = `
openapi: 3.1.0
info: { title: Hostile, version: 1.0.0 }
paths:
  /any:
    get:
      operationId: readAny
      responses:
        '200': { description: any, content: { application/json: { schema: {} } } }
        default: ${FAILED}
  /closed:
    get:
      operationId: readClosed
      responses:
        '200':
          description: closed
          headers: { X-Text: { schema: { type: string, maxLength: 9 } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Closed' } } }
        default: ${FAILED}
components:
  schemas:
    Closed:
      type: object
      additionalProperties: false
      required: [a]
      properties: { a: { type: string, maxLength: 9 }, b: { $ref: '#/components/schemas/Closed' } }
    Error:
      type: object
      additionalProperties: false
      required: [text]
      properties: { text: { type: string, maxLength: 40 } }
`;

const traps = new Proxy(
  {},
  {
    get(_target, name) {
      return () => {
        throw new TypeError(`the trap ${String(name)} throws`);
      };
    },
  },
);
const trapping = (target: object) => new Proxy(target, traps);
const trapped = (): never => {
  const thrown: unknown = trapping({});
  throw thrown;
};
const throwing = (name: string, target: object) =>
  Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      return trapped();
    },
  });
/** Each reading of the member has another value. */
const changing = () => {
  let reads = 0;
  return Object.defineProperty({}, 'a', { enumerable: true, get: () => (reads++ === 0 ? 'short' : 'x'.repeat(1000)) });
};
const endless = (): object => Object.defineProperty({}, 'b', { enumerable: true, get: endless });
const circle: Record<string, unknown> = { a: 'x' };
circle['b'] = circle;
const ofLength = (length: unknown) =>
  new Proxy([], { get: (target, name) => (name === 'length' ? length : (Reflect.get(target, name) as unknown)) });

/** What a handler may throw, or return somewhere in a reply. Made anew each time, as some change when they are read. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  'a Proxy whose traps throw': () => trapping({}),
  'a function behind such a Proxy': () => trapping(() => undefined),
  'a list behind such a Proxy': () => trapping([]),
  'a revoked Proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'an error whose prototype is such a Proxy': () => Object.setPrototypeOf(new Error('x'), trapping({})) as unknown,
  'an error that throws when its message is read': () => throwing('message', new Error('x')),
  'an error that throws when its name is read': () => throwing('name', new Error('x')),
  'an error that throws when its stack is read': () => throwing('stack', new Error('x')),
  'an error that throws when its cause is read': () => throwing('cause', new Error('x')),
  'an error that is its own cause': () => {
    const error = new Error('x');
    error.cause = error;
    return error;
  },
  'an error whose cause is such a Proxy': () => new Error('x', { cause: trapping({}) }),
  'many errors in one': () => new AggregateError([trapping({}), undefined], 'x'),
  'an error of a path that cannot be decoded': () => new URIError('x'),
  'an abortion': () => new DOMException('x', 'AbortError'),
  undefined: () => undefined,
  null: () => null,
  false: () => false,
  'a text that Express knows': () => 'route',
  NaN: () => NaN,
  'a bigint': () => 2n ** 70n,
  'a symbol': () => Symbol('x'),
  'a function': () => () => undefined,
  'an object without a prototype': () => Object.create(null) as unknown,
  'an object that throws as a text': () => ({ toString: traps, [Symbol.toPrimitive]: traps }),
  'a member that throws': () => throwing('a', {}),
  'a member that changes': changing,
  'members without end': endless,
  'a circle': () => circle,
  'an array of 4e8 nothings': () => new Array<unknown>(4e8),
  'an array whose length is no number': () => ofLength(NaN),
  'an array whose length has no end': () => ofLength(Infinity),
  'an array with an iterator without end': () =>
    Object.assign([1], {
      *[Symbol.iterator]() {
        for (;;) yield 1;
      },
    }),
  'a toJSON that throws': () => ({ toJSON: () => trapping({}) }),
  'a toJSON that returns itself': () => ({
    toJSON() {
      return this;
    },
  }),
  'a toJSON of a list that returns an iterator without end': () => ({
    toJSON: () =>
      Object.assign([1], {
        toJSON: () => 1,
        *[Symbol.iterator]() {
          for (;;) yield 1;
        },
      }),
  }),
  'JSON that is written already': () => (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON('"x"'),
  'a text in an object': () => new String('x'),
  'a date that is none': () => new Date(NaN),
  'a lone surrogate': () => '\ud800',
};

const app = await startApp({
  yaml: YAML,
  operations: { readAny: (...given) => handler(...given), readClosed: (...given) => handler(...given) },
});
let handler: Handler = () => Promise.resolve({ status: 200, body: {} });

const PLACES: Readonly<Record<string, (value: () => unknown) => unknown>> = {
  'throws at once': (value) => {
    throw value();
  },
  'throws later': async (value) => {
    await Promise.resolve();
    throw value();
  },
  returns: (value) => value(),
  'returns in its body': (value) => ({ status: 200, body: { a: value() } }),
  'returns as its body': (value) => ({ status: 200, body: value() }),
  'returns as its status': (value) => ({ status: value(), body: { a: 'x' } }),
  'returns as its headers': (value) => ({ status: 200, headers: value(), body: { a: 'x' } }),
  'returns in its headers': (value) => ({ status: 200, headers: { 'X-Text': value() }, body: { a: 'x' } }),
};

test.each(Object.keys(PLACES))('a client gets a reply, and the next one too, whatever a handler %s', async (place) => {
  const unanswered: string[] = [];
  for (const [what, value] of Object.entries(VALUES))
    for (const path of ['/any', '/closed']) {
      handler = (() => PLACES[place]?.(value)) as Handler;
      try {
        const response = await fetch(app.url + path, { signal: AbortSignal.timeout(4000) });
        const text = await response.text();
        if (response.status === 200 && path === '/closed') expect(text).toMatch(/^\{"a":"[^"]{1,9}"\}$/);
        else if (response.status !== 200) expect(JSON.parse(text)).toMatchObject({ error: 50000 });
      } catch (error) {
        unanswered.push(`${what} at ${path}: ${String(error)}`);
      }
    }
  expect(unanswered).toEqual([]);
  handler = () => Promise.resolve({ status: 200, body: { a: 'x' } });
  expect(await (await fetch(`${app.url}/closed`)).text()).toBe('{"a":"x"}');
});

let failureBody = (): unknown => ({ text: 'x' });
const fails = () => Promise.reject(new Error('x'));
const failing = await startApp({
  beside: app,
  yaml: YAML.replace(/ {4}Error:[^]*/, ''),
  service: { ...items, errorBody: () => failureBody() },
  operations: { readAny: fails, readClosed: fails },
});

test.each<[string, () => unknown, string, string]>([
  ['nothing for more than 16 MiB', () => ({ text: 'x'.repeat(MAX.reply) }), '/any', ''],
  ['nothing for more than 16 MiB once it is written', () => '\u0000'.repeat(MAX.reply / 4), '/nowhere', ''],
  ['nothing for an array of 4e8 nothings', () => new Array<unknown>(4e8), '/nowhere', ''],
  ['nothing for a Proxy whose traps throw', () => trapping({}), '/any', ''],
  ['nothing for an error that cannot be read', () => throwing('message', new Error('x')), '/any', ''],
  ['what was judged for a getter that changes', changing, '/any', '{"a":"short"}'],
])('of an errorBody, a client gets %s', async (_what, made, path, due) => {
  failureBody = made;
  const response = await fetch(failing.url + path);
  expect([response.status, await response.text()]).toEqual([path === '/any' ? 500 : 404, due]);
});
