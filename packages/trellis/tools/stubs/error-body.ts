import { Script } from 'node:vm';
import { ContractError, exactJson, statusOf } from 'trellis-contract/ground';
import {
  type ErrorBodyOf,
  type Follow,
  follower,
  inPlace,
  loadContract,
  type Loaded,
  OF_OPERATIONS,
  Position,
  replyFor,
} from 'trellis-contract';
import { literal, object } from './literals.ts';

interface BodyDraft {
  /** An expression of TypeScript, with the members of a failure as variables. */
  readonly body: string;
  /** The members of a failure that the body has. */
  readonly uses: readonly string[];
  /** Why the contract refuses the draft, so that the author must complete it; undefined: the contract accepts it. */
  readonly left: string | undefined;
}

/** The start tries a message of this length: a contract that allows fewer characters gets only the beginning. */
const LONGEST = 32_768;
/** How far a list within the body may be indented. */
const DEEPEST = 8;
/** Members that a failure's body has even where the contract does not require them. */
const USUAL = /message|detail|error|reason|code|status|request|trace/i;
const STATUSES = [...new Set(OF_OPERATIONS.map(statusOf))];
const OF_FAILURES = ['status', 'number', 'message', 'requestId'];

/**
 * A body for the failures that the service itself answers: for each status, in the shape that most operations have.
 *
 * @returns undefined if the contract allows the framework's own body
 */
export async function draftErrorBody(contract: Loaded): Promise<BodyDraft | undefined> {
  const { yaml, document, operations, ofErrorBody } = contract;
  if (ofErrorBody.length === 0) return undefined;
  const follow = follower(document);
  const bodies = STATUSES.flatMap((status) => {
    const schema = mostOf(operations.flatMap(({ replies }) => replyFor(replies, status)?.content?.schema ?? []));
    return schema === undefined
      ? []
      : [{ status, body: expressionFor('', new Position(schema, follow), follow, '  ') }];
  });
  const usual = mostOf(bodies.map(({ body }) => body));
  if (usual === undefined) return undefined;
  const others = Map.groupBy(
    bodies.filter((each) => each.body !== usual),
    (each) => each.body,
  );
  const choices = Array.from(others, ([own, those]) => {
    const statuses = those.map(({ status }) => status).join(', ');
    return `[${statuses}].includes(status) ? ${own} : `;
  });
  const body = choices.join('') + usual;
  const uses = OF_FAILURES.filter((name) => new RegExp(`\\b${name}\\b(?!:)`).test(body));
  const run = new Script(`({ ${uses.join(', ')} }) => (${body})`).runInThisContext() as ErrorBodyOf;
  return { body, uses, left: await refusalOf(yaml, run) };
}

/** The most frequent value. */
function mostOf<T>(values: readonly T[]): T | undefined {
  const alike = [...Map.groupBy(values, exactJson).values()].sort((one, other) => other.length - one.length);
  return alike[0]?.[0];
}

async function refusalOf(yaml: string, errorBody: ErrorBodyOf): Promise<string | undefined> {
  return await loadContract(yaml, errorBody).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ContractError) return error.message;
      throw error;
    },
  );
}

/** The expression for a member of a failure's body, by its name and its schemas. */
function expressionFor(name: string, position: Position, follow: Follow, indent: string): string {
  const schemas = inPlace(position.roots, follow);
  const [only] = schemas.flatMap(({ const: value, enum: values = [] }) => (value === undefined ? values : [value]));
  if (only !== undefined) return literal(only);
  const { types } = position;
  if (types.has('string')) {
    const [format] = schemas.flatMap((each) => each.format ?? []);
    if (format === 'date-time') return 'new Date().toISOString()';
    if (format === 'uuid' || /request|trace|correlation|instance/i.test(name)) return 'requestId';
    if (format?.startsWith('uri') === true || name === 'type') return "'about:blank'";
    if (/status/i.test(name)) return 'String(status)';
    if (/code|number|type|kind|key|^id$/i.test(name)) return 'String(number)';
    const most = Math.min(...schemas.map(({ maxLength = LONGEST }) => maxLength));
    return most < LONGEST ? `message.slice(0, ${most})` : 'message';
  }
  if (types.has('integer')) {
    const isSmall = schemas.some(({ maximum = Infinity }) => maximum < 50_599);
    return isSmall || /status|http/i.test(name) ? 'status' : 'number';
  }
  if (types.has('object')) {
    const members = [...position.names].map((each) => [each, position.member(each)] as const);
    const isDue = (each: string, { types: own }: Position) =>
      position.required.has(each) || (USUAL.test(each) && (own.has('string') || own.has('integer')));
    return object(
      members.flatMap(([each, at]) =>
        isDue(each, at) ? [[each, expressionFor(each, at, follow, `${indent}  `)] as const] : [],
      ),
      indent,
    );
  }
  if (types.has('array')) {
    const item = position.item(0);
    // A list whose items have such lists again would never end.
    const isDescribed = item.types.has('string') !== item.types.has('object') && indent.length <= DEEPEST;
    return isDescribed ? `[${expressionFor(name, item, follow, indent)}]` : '[]';
  }
  return types.has('boolean') ? 'false' : 'null';
}
