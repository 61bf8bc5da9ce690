import {
  type AnySchema,
  type Contract,
  type ContractOperation,
  follower,
  type HeaderValues,
  loadContract,
  type Media,
  type Method,
  type OpenApiDocument,
  pathItemsOf,
  Position,
  reachable,
  type ReplyData,
  ReplyError,
  resolver,
  validateRequest,
} from 'trellis-contract';
import { exactJson, Refusal } from 'trellis-contract/ground';
import { bytesFor, Derivation, type DerivedReply, payloadOf, withSchemas } from 'trellis-contract/derivation';
import { draftErrorBody } from './error-body.ts';
import { asTyped, literal, object, quoted } from './literals.ts';
import { namesOf } from './names.ts';

/** The files of a service whose operations are stubs, and what of them is left to decide. */
export interface Stubs {
  readonly files: Readonly<Record<string, string>>;
  /** For `service/index.ts`: the imports, and the members of the service. */
  readonly imports: string;
  readonly members: string;
  readonly left: readonly string[];
}

/** @throws ContractError */
export async function stubsOf(yaml: string): Promise<Stubs> {
  const contract = await loadContract(yaml, 'any');
  const { document, operations } = contract;
  const whole = withAllMembers(document);
  const derivations = [new Derivation(whole, { isBrief: true }), new Derivation(whole), new Derivation(document)];
  const names = namesOf(operations.map(({ id }) => id));
  const stubs = operations.map((operation, index): Stub => {
    const reply = replyOf(operation, document, derivations);
    return { operation, reply, name: names[index] ?? operation.id };
  });
  const errorBody = await draftErrorBody(contract);
  const sent = stubs.map((each) => ({ ...each, row: requestOf(each, contract, derivations) }));
  const unsent = sent.filter(({ row }) => row === undefined).map(({ operation }) => operation.id);
  const [carrier = 'Authorization'] = operations.flatMap(({ carriers }) => carriers);
  const members = object(
    stubs.map(({ operation, name }) => [operation.id, name] as const),
    '  ',
  );
  return {
    files: {
      ...Object.fromEntries(stubs.map((each) => [`service/${each.name}.ts`, fileOf(each)])),
      'test/operations.test.ts': testOf(
        sent.flatMap(({ row = [] }) => row),
        carrier,
      ),
      ...(errorBody && { 'service/errorBody.ts': errorBodyFile(errorBody) }),
    },
    imports: [...stubs.map(({ name }) => name), ...(errorBody ? ['errorBody'] : [])]
      .map((name) => `import { ${name} } from './${name}.ts';\n`)
      .join(''),
    members: `  operations: ${members},\n${errorBody ? '  errorBody,\n' : ''}`,
    left: [
      ...(errorBody?.left === undefined ? [] : [`service/errorBody.ts is a draft: ${errorBody.left}`]),
      ...stubs.flatMap(({ operation: { place }, reply, name }) =>
        typeof reply === 'string' ? [`service/${name}.ts answers 500: ${place}: ${reply}`] : [],
      ),
      ...(unsent.length === 0
        ? []
        : [`test/operations.test.ts sends no request of ${unsent.join(', ')}: add one of each as you write it`]),
    ],
  };
}

/** A contract in which objects have all of their members, and arrays an item, except where that would have no end. */
function withAllMembers(document: OpenApiDocument): OpenApiDocument {
  const follow = follower(document);
  return withSchemas(document, (schema) => {
    const { properties = {}, required = [], items, minItems = 1 } = schema;
    const ends = (each: AnySchema) => !reachable(each, follow).includes(schema);
    const whole = Object.keys(properties).filter((name) => ends(properties[name] ?? true));
    return {
      ...schema,
      ...(whole.length > 0 && { required: [...new Set([...required, ...whole])] }),
      ...(items !== undefined && ends(items) && { minItems }),
    };
  });
}

function declaredOf({ path, method }: ContractOperation, document: OpenApiDocument): object {
  return new Map(pathItemsOf(document)).get(path)?.[method.toLowerCase() as Method] ?? {};
}

/** @returns a reply that the contract allows, of the lowest status; without one, a text that says what to do */
function replyOf(
  operation: ContractOperation,
  document: OpenApiDocument,
  derivations: readonly Derivation[],
): ReplyData | string {
  // A range begins with its hundred: 2XX with 200.
  const [lowest] = [...operation.replies]
    .map(([declared, reply]) => ({ declared, status: Number(declared.replace(/XX$/, '00')), reply }))
    .filter((each) => Number.isInteger(each.status))
    .sort((one, other) => one.status - other.status || one.declared.localeCompare(other.declared));
  if (lowest === undefined) return 'no success has its status by its number: declare one, or write the operation';
  const {
    declared,
    status,
    reply: { content, headers },
  } = lowest;
  const follow = follower(document);
  const position = new Position(content?.schema ?? true, follow);
  const ofHeaders = new Position(
    { properties: Object.fromEntries(Object.entries(headers).map(([name, { schema }]) => [name, schema])) },
    follow,
  );
  const typed = ({ headers: fields, body }: DerivedReply): ReplyData => ({
    status,
    ...(Object.keys(fields).length > 0 && { headers: asTyped(fields, ofHeaders, follow) as HeaderValues }),
    ...(body !== undefined && {
      body: content?.kind === 'bytes' ? bytesFor(body) : asTyped(content?.sent(body).body, position, follow),
    }),
  });
  // Replies are checked one by one, as one of the first is valid for most operations.
  for (const derivation of derivations) {
    const derived = derivation.ofReplies(operation).find((each) => each.status === declared)?.messages ?? [];
    const [first] = derived;
    const examples = first && content && content.kind !== 'bytes' ? examplesOf(operation, declared, document) : [];
    for (const each of [...examples.map((body) => ({ ...first, body }) as DerivedReply), ...derived]) {
      const reply = typed(each);
      const sent = reply.body === undefined ? undefined : content?.sent(reply.body).body;
      if (
        isKept(() => {
          operation.validator.reply(status, reply.headers ?? {}, sent);
        }, ReplyError)
      )
        return reply;
    }
  }
  return `no body of the reply ${declared} could be derived: give it an example, or write the operation`;
}

function examplesOf(operation: ContractOperation, status: string, document: OpenApiDocument): unknown[] {
  const resolve = resolver(document);
  const { responses = {} } = declaredOf(operation, document) as { responses?: Record<string, { content?: object }> };
  const [media] = Object.values(resolve(responses[status] ?? {}).content ?? {}) as Media[];
  const { example, examples = {} } = media ?? {};
  return [example, ...Object.values(examples).map((each) => resolve(each).value)].filter((each) => each !== undefined);
}

/** Whether `act` ends without such a refusal. */
function isKept(act: () => unknown, refusal: typeof Refusal | typeof ReplyError): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof refusal) return false;
    throw error;
  }
}

interface Stub {
  readonly operation: ContractOperation;
  /** A text says why there is no reply. */
  readonly reply: ReplyData | string;
  readonly name: string;
}

function fileOf({ operation: { id, summary, method, path }, reply, name }: Stub): string {
  const words = (summary ?? `${method} ${path}`).replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return `import { stub } from 'trellis';
import type { Reply } from './types.ts';

/** ${words.replace(/(?<![.!?])$/, '.')} */
export const ${name} = stub<Reply<${quoted(id)}>>(${typeof reply === 'string' ? `new Error(${quoted(reply)})` : literal(reply)});
`;
}

function errorBodyFile({ body, uses }: { readonly body: string; readonly uses: readonly string[] }): string {
  return `import type { Failure } from 'trellis';

/** A first draft of the body of each failure that the service itself answers. */
export function errorBody(${uses.length === 0 ? '_' : `{ ${uses.join(', ')} }`}: Failure) {
  return ${body};
}
`;
}

/** The first valid request of an operation, as a row of the test. */
function requestOf(
  { operation, reply }: Stub,
  { basePath }: Contract,
  derivations: readonly Derivation[],
): object | undefined {
  // `fetch` cannot send TRACE.
  if (operation.method === 'TRACE' || typeof reply === 'string') return undefined;
  const example = operation.body?.example;
  for (const derivation of derivations)
    for (const { messages } of derivation.ofRequests(operation))
      for (const { parts, wire } of messages) {
        const { sent, body: carried } = wire;
        const kind = carried && operation.body?.types.get(carried.mediaType)?.kind;
        const body = carried && (kind === 'bytes' ? payloadOf(carried) : (example ?? parts.body));
        if (carried === undefined && operation.body?.required === true) continue;
        if (kind === 'json' && (body === null || typeof body !== 'object')) continue;
        const text = kind === 'text' && typeof body === 'string' ? body : exactJson(body);
        const whole = carried && (kind === 'bytes' ? carried : { ...carried, text });
        if (!isKept(() => validateRequest(sent, whole, operation), Refusal)) continue;
        const query = sent.query === '' ? '' : `?${sent.query}`;
        const headers = { ...sent.headers, ...(carried && { 'Content-Type': carried.mediaType }) };
        const row = { operation: operation.id, method: operation.method, path: `${basePath}${sent.path}${query}` };
        return { ...row, status: reply.status, headers, ...(body !== undefined && { body }) };
      }
  return undefined;
}

const IMPORTS_OF_TEST = [
  "import assert from 'node:assert/strict';",
  "import { test } from 'node:test';",
  "import { inspect } from 'node:util';",
  "import { Client, ENGINES, startOn, unavailable } from 'trellis/testing';",
  "import { service } from '../service/index.ts';",
].join('\n');

function testOf(requests: readonly object[], carrier: string): string {
  const token = `token: await instance.token()${carrier === 'Authorization' ? '' : `, carrier: ${quoted(carrier)}`}`;
  return `${IMPORTS_OF_TEST}

interface ValidRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The status of the reply. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/**
 * A valid request of each operation, sent in this order to one store. An operation that you write needs its rows by then:
 * move its request behind the one that makes them, and give it their path.
 */
const REQUESTS: readonly ValidRequest[] = ${literal(requests)};

for (const engine of ENGINES) {
  const skip = unavailable(engine) ?? false;
  test(\`answers a valid request of each operation, on \${engine}\`, { skip }, async () => {
    await using instance = await startOn(engine, service);
    const client = new Client({ url: instance.url, service, ${token} });
    for (const { operation, method, path, status, headers, body } of REQUESTS) {
      const answer = await client.send(method, path, body, headers);
      assert.equal(answer.status, status, \`\${operation} answered \${answer.status}: \${inspect(answer.body)}\`);
    }
  });
}
`;
}
