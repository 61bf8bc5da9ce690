import type { Declared } from '../message/operation.ts';
import type { ContractContent } from '../message/content.ts';
import type { AnySchema } from '../schema/document.ts';
import { OF_PARAMETER } from './place.ts';
import type { Translation } from './translation.ts';

/**
 * Describes each request and reply as one JSON value, with its parameters or header fields as members, because the
 * validator has faults in its own handling of parameters (types, styles, defaults).
 *
 * @returns names of components: of requests by the media type of the body ('' without a body), of replies by status
 */
export function toMessages(
  { parameters: declared, body, replies: statuses }: Declared,
  requests: Translation,
  replies: Translation,
) {
  const parameters = (['path', 'query', 'header'] as const).map((location) => {
    const own = declared.filter((each) => each.in === location);
    return [location, closed(own, requests, OF_PARAMETER)] as const;
  });
  const toRequest = (body: unknown) => requests.component({ properties: { ...Object.fromEntries(parameters), body } });
  const bodies = [...(body?.types ?? [])].map(
    ([type, content]) => [type, toRequest(bodyIn(content, requests))] as const,
  );
  const responses = [...statuses].map(([status, reply]) => {
    const { headers, content } = reply;
    const fields = Object.entries(headers).map(([name, header]) => ({
      name,
      ...header,
      // The service adds this field to the reply of an operation.
      ...(/^x-request-id$/i.test(name) && { required: false }),
    }));
    const made = () => {
      const body = content === undefined ? false : bodyIn(content, replies);
      const required = content === undefined ? ['headers'] : ['headers', 'body'];
      return replies.component({ required, properties: { headers: closed(fields, replies), body } });
    };
    // Many operations have the same reply to a failure, or at least one that is the same component.
    const key = fields.length > 0 || content === undefined ? reply : (referenceOf(content.schema) ?? content.schema);
    return [status, replies.shared.getOrInsertComputed(key, made)] as const;
  });
  return { bodies: new Map(bodies.length > 0 ? bodies : [['', toRequest(false)]]), responses: new Map(responses) };
}

/** The target of a schema that is nothing but a reference. */
function referenceOf(schema: AnySchema): string | undefined {
  return typeof schema === 'object' && Object.keys(schema).length === 1 ? schema.$ref : undefined;
}

/** The validator knows only JSON, and sees any value where bytes are: bytes.ts judges them. */
function bodyIn({ kind, schema }: ContractContent, translation: Translation): unknown {
  return kind === 'bytes' ? true : translation.schema(schema);
}

/** The schema of an object with no other members. */
function closed(
  members: readonly { readonly name: string; readonly required?: boolean; readonly schema: AnySchema }[],
  translation: Translation,
  place?: typeof OF_PARAMETER,
): object {
  const required = members.filter(({ required }) => required).map(({ name }) => name);
  return {
    type: 'object',
    additionalProperties: false,
    required,
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, translation.schema(schema, place)])),
    ...translation.spending({ additionalProperties: false, required }),
  };
}
