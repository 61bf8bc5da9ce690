import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { parse } from 'yaml';
import { METHODS, type Resolve, resolver } from './document.ts';

/**
 * The contract as express-openapi-validator is shown it: parsed anew, as the validator changes what it is given, and
 * with what it would get wrong put differently.
 */
export function validatorDocument(yaml: string): OpenAPIV3.DocumentV3_1 {
  // document.ts has found that it is one.
  const document = parse(yaml) as OpenAPIV3.DocumentV3_1;
  const resolve = resolver(document);
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
    item.parameters = inlined(item.parameters, resolve);
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.parameters = inlined(operation.parameters, resolve);
      if (operation.requestBody !== undefined) {
        const body = resolve(operation.requestBody) as OpenAPIV3.RequestBodyObject;
        operation.requestBody = { ...body, content: forAnyType(body.content) };
      }
      const responses = Object.entries(operation.responses ?? {});
      operation.responses = Object.fromEntries(
        responses.flatMap(([status, response]) => [
          [status, response],
          [headersOf(status), headersAsBody(resolve(response) as OpenAPIV3.ResponseObject, resolve)],
        ]),
      );
    }
    return [shownPath(path), item];
  });
  // Its servers would become prefixes of the paths.
  return { ...document, paths: Object.fromEntries(paths) as OpenAPIV3.PathsObject, servers: [{ url: '/' }] };
}

/**
 * A body that has one media type is shown as one of any: body.ts has found that the request has it, and the validator
 * takes longer to read the header `Content-Type` than to validate a plant. Of several it must know which.
 */
function forAnyType(content: OpenAPIV3.RequestBodyObject['content']): OpenAPIV3.RequestBodyObject['content'] {
  const [only, ...others] = Object.values(content);
  return only === undefined || others.length > 0 ? content : { '*/*': only };
}

/** The validator does not look at the headers of replies: it is shown them as the body of a response of this name. */
export function headersOf(status: number | string): string {
  return `headers of ${status}`;
}

function headersAsBody({ headers = {} }: OpenAPIV3.ResponseObject, resolve: Resolve): OpenAPIV3.ResponseObject {
  const declared = Object.entries(headers).map(([name, reference]) => {
    const { schema = {}, required = false } = resolve(reference) as OpenAPIV3.HeaderObject;
    return { name: name.toLowerCase(), schema, required };
  });
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: declared.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(declared.map(({ name, schema }) => [name, schema])),
  } as const;
  return { description: '', content: { 'application/json': { schema } } };
}

/** The validator does not know every name that a path parameter can have. Which path it is, the router decides. */
export function shownPath(path: string): string {
  return `/${Buffer.from(path).toString('hex')}`;
}

type Parameters = OpenAPIV3.OperationObject['parameters'];

/** Parameters whose schema is a reference to an enum are coerced wrongly (the validator's issue 1119). */
function inlined(parameters: Parameters, resolve: Resolve): NonNullable<Parameters> {
  return (parameters ?? []).map((reference) => {
    const parameter = resolve(reference) as OpenAPIV3.ParameterObject;
    return parameter.schema === undefined ? parameter : { ...parameter, schema: resolve(parameter.schema) };
  });
}
