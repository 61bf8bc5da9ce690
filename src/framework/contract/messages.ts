import type { Declared } from './contract.ts';
import type { AnySchema } from './document.ts';
import { OF_PARAMETER, type Translation } from './schemas.ts';

/**
 * The schemas of requests and replies for the validator. Parameters and header fields are members of one JSON body
 * there, because the validator has faults in its own handling of parameters (types, styles, defaults).
 */
export interface Messages {
  /** By media type; '' without a body. */
  readonly bodies: ReadonlyMap<string, unknown>;
  /** By status. */
  readonly responses: ReadonlyMap<string, unknown>;
}

export function toMessages(
  { parameters: declared, body, replies: statuses }: Declared,
  requests: Translation,
  replies: Translation,
): Messages {
  const parameters = (['path', 'query', 'header'] as const).map((location) => {
    const own = declared.filter((each) => each.in === location);
    return [location, closed(own, (schema) => requests.schema(schema, OF_PARAMETER))] as const;
  });
  const toRequest = (schema: unknown) => ({
    type: 'object',
    properties: { ...Object.fromEntries(parameters), body: schema },
  });
  const bodies = [...(body?.types ?? [])].map(
    ([type, { schema }]) => [type, toRequest(requests.schema(schema))] as const,
  );
  const responses = [...statuses].map(([status, { headers, content }]) => {
    const fields = Object.entries(headers).map(([name, header]) => ({ name, ...header }));
    const properties = {
      headers: closed(fields, (schema) => replies.schema(schema)),
      body: content === undefined ? false : replies.schema(content.schema),
    };
    const required = content === undefined ? ['headers'] : ['headers', 'body'];
    return [status, { type: 'object', required, properties }] as const;
  });
  return { bodies: new Map(bodies.length > 0 ? bodies : [['', toRequest(false)]]), responses: new Map(responses) };
}

/** The schema of an object with no other members. */
function closed(
  members: readonly { readonly name: string; readonly required?: boolean; readonly schema: AnySchema }[],
  translate: (schema: AnySchema) => unknown,
): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: members.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, translate(schema)])),
  };
}
