import { follower, METHODS, type OpenApiDocument, pathItemsOf, resolver } from '../src/schema/document.ts';
import { reachable } from '../src/schema/subschemas.ts';

// The rules of redocly.yaml that no assertion of Redocly can express.

const VALUES = ['const', 'enum'];
const NUMBER = [
  ['minimum', 'exclusiveMinimum', 'format', ...VALUES],
  ['maximum', 'exclusiveMaximum', 'format', ...VALUES],
];
/** For each type, groups of keywords: a schema must have one of each group. */
const BOUNDS: Partial<Record<string, readonly (readonly string[])[]>> = {
  string: [['maxLength', ...VALUES]],
  array: [['maxItems', ...VALUES]],
  integer: NUMBER,
  number: NUMBER,
};

interface ErrorResponse {
  readonly content?: Readonly<Record<string, SchemaHolder>>;
}

/** The context that Redocly gives to a rule; it exports no type for it. */
interface LintContext {
  readonly location: object & { child(names: string[]): object };
  readonly report: (problem: { readonly message: string; readonly location: object }) => void;
  readonly resolve: (reference: object) => { readonly node?: unknown; readonly location?: object | undefined };
}

/** No assertion can select a schema with `string` in a list of types. */
const bounds = () => ({
  Schema(schema: { readonly type?: string | readonly string[] }, { location, report }: LintContext) {
    for (const type of [schema.type ?? []].flat()) {
      for (const group of BOUNDS[type] ?? []) {
        if (group.some((keyword) => keyword in schema)) continue;
        report({ message: `A schema of type ${type} must have ${group.join(' or ')}.`, location });
      }
    }
  },
});

/**
 * `default` would cover these errors, but clients react to them in different ways: with a new token, or by waiting. No
 * assertion knows whether the document demands a token where an operation has no `security` of its own.
 */
const errorsOfTokens = () => ({
  Root(root: unknown, { location, report }: LintContext) {
    // Redocly has a type of its own for what forLibraries() gave it.
    const { paths = {}, security: ofAll = [] } = root as OpenApiDocument;
    for (const [path, item] of Object.entries(paths))
      for (const method of METHODS) {
        const { security = ofAll, responses = {} } = item[method] ?? { security: [] };
        if (security.every((alternative) => Object.keys(alternative).length === 0)) continue;
        const missing = ['401', '429'].filter((status) => !Object.hasOwn(responses, status));
        if (missing.length === 0) continue;
        const message = `An operation that needs a token must declare ${missing.join(' and ')}.`;
        report({ message, location: location.child(['paths', path, method, 'responses']) });
      }
  },
});

interface SchemaHolder {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: unknown;
}

/** The docs page makes up no text that fits a pattern: without an example its form is empty, and readers have to guess. */
const exampleOfPattern = () => {
  const shown = new Set<unknown>();
  // The example of a parameter or header counts as the example of its schema.
  const enter = ({ schema, example, examples }: SchemaHolder) => {
    if (example !== undefined || examples !== undefined) shown.add(schema);
  };
  return {
    Parameter: { enter },
    Header: { enter },
    Schema(schema: object, { location, report }: LintContext) {
      if (!('pattern' in schema) || shown.has(schema)) return;
      if (['examples', 'example', 'default', ...VALUES].some((keyword) => keyword in schema)) return;
      report({
        message: 'A schema with a pattern must have examples: a list of one text or more that fit it.',
        location,
      });
    },
  };
};

/** Failures share a schema: an example of its members would make the docs page show one body for all of them. */
const exampleOfError = () => {
  const seen = new Set<unknown>();
  return {
    Responses(responses: Readonly<Record<string, object>>, { location, report, resolve }: LintContext) {
      for (const [status, response] of Object.entries(responses)) {
        const found = resolve(response);
        const { node = response, location: at = location.child([status]) } = found;
        if (/^[123]/.test(status) || seen.has(node)) continue;
        seen.add(node);
        for (const [mediaType, content] of Object.entries((node as ErrorResponse).content ?? {})) {
          if (!/\bjson$/.test(mediaType) || 'example' in content || 'examples' in content) continue;
          report({ message: `The ${mediaType} of an error must have an example, or examples.`, location: at });
        }
      }
    },
  };
};

/** As keys of text, two spellings of one UUID are two keys. One line tells all: a contract may have hundreds. */
const uuidSpelling = () => {
  const found = new Map<object, object>();
  return {
    Schema(schema: { readonly format?: string }, { location }: LintContext) {
      if (schema.format === 'uuid' && !['pattern', ...VALUES].some((keyword) => keyword in schema))
        found.set(schema, location);
    },
    Root: {
      leave(root: unknown, { report }: LintContext) {
        const sent = sentSchemas(root as OpenApiDocument);
        const [first, ...others] = [...found].filter(([schema]) => sent.has(schema));
        if (first === undefined) return;
        const count = others.length === 0 ? '1 schema has' : `${others.length + 1} schemas have`;
        const message =
          `${count} format uuid, which allows capitals too: as a key of text, one UUID is then two keys. ` +
          "Add pattern: '^[0-9a-f-]{36}$', which allows small letters alone.";
        report({ message, location: first[1] });
      },
    },
  };
};

/** The schemas of paths and of bodies of requests. */
function sentSchemas(document: OpenApiDocument): ReadonlySet<unknown> {
  const [resolve, follow] = [resolver(document), follower(document)];
  const sent = pathItemsOf(document).flatMap(([, item]) => {
    const operations = METHODS.flatMap((method) => item[method] ?? []);
    const parameters = [item, ...operations].flatMap((each) => each.parameters ?? []).map((each) => resolve(each));
    const bodies = operations.flatMap(({ requestBody }) => (requestBody === undefined ? [] : resolve(requestBody)));
    return [
      ...parameters.filter((each) => each.in === 'path'),
      ...bodies.flatMap(({ content }) => Object.values(content)),
    ].flatMap(({ schema }) => schema ?? []);
  });
  return new Set(sent.flatMap((schema) => reachable(schema, follow)));
}

export const plugin = {
  id: 'own',
  rules: {
    oas3: {
      bounds,
      'errors-of-tokens': errorsOfTokens,
      'example-of-pattern': exampleOfPattern,
      'example-of-error': exampleOfError,
      'uuid-spelling': uuidSpelling,
    },
  },
};
