import type * as Ui from './swagger-ui.ts';

/**
 * A plugin of Swagger UI, which loses digits of numbers. A number that JavaScript would write otherwise is a string
 * between two invisible marks, until it is shown or sent. The browser runs the text of this function, as that of
 * docs-plugin.ts.
 */
export function digitsPlugin({ React }: Ui.System): Ui.Plugin {
  const h = React.createElement;
  const mark = (text: string) =>
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') || String(Number(token)) === token ? token : `"\u2063${token}\u2063"`,
    );
  const plain = (text: string) => text.replaceAll(/"?\u2063([^\u2063]*)\u2063"?/g, '$1');
  const inTexts = (change: (text: string) => string, value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    const { map } = (value ?? {}) as { readonly map?: (each: (item: unknown) => unknown) => unknown };
    return typeof map === 'function' ? map.call(value, (item) => inTexts(change, item)) : value;
  };
  const unmarkRequest = (request: Ui.PageRequest) => {
    request.url = request.url.replaceAll(/(?:%22)?%E2%81%A3(.*?)%E2%81%A3(?:%22)?/g, '$1');
    for (const [name, value] of Object.entries(request.headers)) request.headers[name] = plain(value);
    return request;
  };
  const unmarked = (name: string) => (Original: unknown) => (props: Ui.Props) =>
    h(Original, { ...props, [name]: inTexts(plain, props[name]) });
  // Swagger UI would make up a text from a pattern, and 0 where a bound with marks excludes 0.
  const forSamples = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema ?? null), (_key, node: Ui.Props | string | null) => {
      if (node === null || typeof node !== 'object') return node;
      if (['examples', 'example', 'default', 'const', 'enum'].some((each) => each in node)) return node;
      const { pattern, minimum, maximum } = node;
      if (typeof pattern === 'string') return { ...node, example: '' };
      if (/^\u2063\d/.test(String(minimum))) return { ...node, example: minimum };
      return String(maximum).startsWith('\u2063-') ? { ...node, example: maximum } : node;
    });
  const BOUNDS = {
    minimum: '≥',
    exclusiveMinimum: '>',
    maximum: '≤',
    exclusiveMaximum: '<',
    multipleOf: 'multiple of',
  };

  return {
    afterLoad(this: { readonly fn: Ui.Sampler }) {
      const { getSampleSchema } = this.fn;
      this.fn.getSampleSchema = (schema, ...others) => inTexts(plain, getSampleSchema(forSamples(schema), ...others));
    },
    statePlugins: {
      spec: {
        wrapActions: {
          updateSpec: (original) => (text) => original(mark(text)),
          changeParamByIdentity: (original) => (at, parameter, value, isXml) =>
            original(at, parameter, inTexts(plain, value), isXml),
          executeRequest: (original, system) => (request) => {
            Object.assign(system.getConfigs(), { requestInterceptor: unmarkRequest });
            const parameters = Object.entries(request.parameters).map(([name, value]) => [name, inTexts(mark, value)]);
            return original({ ...request, parameters: Object.fromEntries(parameters) as Ui.Props });
          },
        },
      },
    },
    wrapComponents: {
      Markdown: unmarked('source'),
      JsonSchemaForm: unmarked('schema'),
      // Swagger UI shows only bounds that are numbers.
      JSONSchema202012KeywordType: (Original: unknown) => (props: { readonly schema: Ui.Props }) =>
        h(
          React.Fragment,
          null,
          h(Original, props),
          Object.entries(BOUNDS).map(
            ([name, sign]) =>
              typeof props.schema[name] === 'string' &&
              h(
                'span',
                { key: name, className: 'json-schema-2020-12__constraint' },
                `${sign} ${plain(props.schema[name])}`,
              ),
          ),
        ),
      // Swagger UI puts extensions into a list as they are.
      JSONSchema202012JSONViewer: (Original: unknown) => (props: Ui.Props) => {
        const isItem = props['className'] === 'json-schema-2020-12-json-viewer-extension-keyword';
        const value: unknown = JSON.parse(JSON.stringify(props['value'] ?? null), (_key, each: unknown) =>
          typeof each === 'string' && /^\u2063-?\d+\u2063$/.test(each) ? BigInt(each.slice(1, -1)) : each,
        );
        return h(isItem ? 'li' : React.Fragment, null, h(Original, { ...props, value }));
      },
    },
  };
}
