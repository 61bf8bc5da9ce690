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
  const UNSURE =
    /^(?:\$ref|(?:all|any|one)Of|not|if|contains|depend.*|propertyNames|prefixItems|uniqueItems|minProp.*|multipleOf|excl.*)$/;
  /** What a schema shows, or a value that it surely allows; undefined if there is none. */
  const make = (schema: Ui.ShownSchema, left: string, sample: Ui.Sampler['getSampleSchema']): unknown => {
    const { examples = [], enum: listed = [], properties = {}, required = [], items, minItems = 0 } = schema;
    const shown = [...examples, schema.example, schema.default, schema.const, ...listed].find(
      (each) => each !== undefined,
    );
    if (shown !== undefined || Object.keys(schema).some((keyword) => UNSURE.test(keyword))) return shown;
    const [type = schema.properties && 'object'] = [schema.type].flat();
    if (type === 'object') {
      const sent = Object.entries(properties).filter(([, each]) => each[left] !== true);
      const members = Object.fromEntries(sent.map(([key, each]) => [key, make(each, left, sample)]));
      const isLacking = (key: string) => properties[key]?.[left] !== true && members[key] === undefined;
      return required.some(isLacking) ? undefined : members;
    }
    if (type === 'array') {
      const item = items && make(items, left, sample);
      if (item === undefined) return minItems > 0 ? undefined : [];
      return Array<unknown>(minItems || 1).fill(item);
    }
    if (type === 'string') {
      const { format, pattern = '', minLength = 0, maxLength = Infinity } = schema;
      const text = format ? String(sample({ type, format })) : 'string'.slice(0, maxLength).padEnd(minLength, 'g');
      const isLong = text.length >= minLength && text.length <= maxLength && !/byte|binary/.test(format ?? '');
      return isLong && new RegExp(pattern, 'u').test(text) ? text : undefined;
    }
    const bound = [schema.minimum, schema.maximum].find(
      (each, index) => Number(plain(String(each))) * (index ? -1 : 1) > 0,
    );
    if (type === 'integer' || type === 'number') return bound ?? 0;
    return type === 'boolean' ? true : undefined;
  };
  const SIGNS = { minimum: '≥', exclusiveMinimum: '>', maximum: '≤', exclusiveMaximum: '<', multipleOf: 'multiple of' };

  return {
    afterLoad(this: { readonly fn: Ui.Sampler & Ui.Builder }) {
      const { getSampleSchema: sample, buildRequest } = this.fn;
      this.fn.buildRequest = (request) => unmarkRequest(buildRequest(request));
      this.fn.getSampleSchema = (schema, mediaType, config, given) => {
        const left = config?.includeWriteOnly === true ? 'readOnly' : 'writeOnly';
        const value = given ?? make(JSON.parse(JSON.stringify(schema ?? {})) as Ui.ShownSchema, left, sample);
        return value === undefined ? undefined : inTexts(plain, sample(schema, mediaType, config, value));
      };
    },
    statePlugins: {
      spec: {
        wrapActions: {
          updateSpec: (original) => (text) => original(mark(text)),
          changeParamByIdentity: (original) => (at, parameter, value, isXml) =>
            original(at, parameter, inTexts(plain, value), isXml),
          executeRequest: (original, system) => (request) => {
            Object.assign(system.getConfigs(), { requestInterceptor: unmarkRequest });
            return original(request);
          },
        },
        wrapSelectors: { parameterValues: (original) => (_state, at) => inTexts(mark, original(at)) },
      },
    },
    wrapComponents: {
      Markdown: unmarked('source'),
      JsonSchemaForm: unmarked('schema'),
      ParameterExt: unmarked('xVal'),
      // Swagger UI shows only bounds that are numbers, and `(any | any)` for alternatives that it has not looked up.
      JSONSchema202012KeywordType:
        (Original: unknown, { fn }: Ui.System) =>
        (props: { readonly schema: Ui.Props }) => {
          const isUnknown = /^\((?:any . )*any\)$/.test(fn.jsonSchema202012.getType(props.schema));
          const bounds = Object.entries(SIGNS).map(([name, sign]) => {
            const bound = props.schema[name];
            const className = 'json-schema-2020-12__constraint';
            return typeof bound === 'string' && h('span', { key: name, className }, `${sign} ${plain(bound)}`);
          });
          return h(React.Fragment, null, isUnknown || h(Original, props), bounds);
        },
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
