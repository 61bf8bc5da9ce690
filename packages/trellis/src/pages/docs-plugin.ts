import type * as Ui from './swagger-ui.ts';

/**
 * A plugin of Swagger UI, which mends what keeps people from using it. The browser runs the text of this function, so it
 * refers to nothing outside of itself. https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/
 */
export function docsPlugin({ React }: Ui.System, { storageKey, tokenPrefix }: Ui.PageFacts): Ui.Plugin {
  const { document, location, localStorage } = globalThis as unknown as Ui.Browser;
  const h = React.createElement;
  const forEars = (text: string) => h('span', { className: 'for-ears' }, text);
  const wrapped =
    <P = Ui.Props>(render: (Original: unknown, props: P, system: Ui.System) => unknown) =>
    (Original: unknown, system: Ui.System) =>
    (props: P) =>
      render(Original, props, system);
  const followed = <P extends Ui.Props>(by: (props: P, system: Ui.System) => unknown) =>
    wrapped<P>((Original, props, system) => h(React.Fragment, null, h(Original, props), by(props, system)));
  const labelled = (name: (props: Ui.Props) => unknown, fault: (props: Ui.Props) => unknown = () => null) =>
    wrapped((Original, props) => h('label', null, forEars(String(name(props))), fault(props), h(Original, props)));
  const closed = (name: string, ...children: readonly unknown[]) =>
    h('details', null, h('summary', null, name), ...children);

  // Swagger UI's numbers lose digits. One that JavaScript would write otherwise is a string between two invisible marks,
  // until it is text again.
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
  const pretty = (text: string) => {
    try {
      return plain(JSON.stringify(JSON.parse(mark(text)), null, 2));
    } catch {
      return text;
    }
  };
  // Swagger UI would make up a text from a pattern.
  const withoutPatterns = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema ?? null), (_key, node: Ui.Props | string | null) => {
      if (node === null || typeof node !== 'object' || typeof node['pattern'] !== 'string') return node;
      const isChosen = ['examples', 'example', 'default', 'const', 'enum'].some((each) => each in node);
      return isChosen ? node : { ...node, example: '' };
    });

  /** The last credentials that the service has judged. */
  let judged: { readonly as: 'accepted' | 'refused'; readonly credentials: string } | undefined;
  const tokenState = ({ authSelectors }: Ui.System) => {
    const [entry] = Object.values(authSelectors.authorized().toJS() as Record<string, { readonly value?: unknown }>);
    if (entry === undefined) return 'No token.';
    const token = String(entry.value);
    if (judged?.credentials === `Bearer ${token}`) return `The service has ${judged.as} the token.`;
    const isKnown = token.startsWith(tokenPrefix) || /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
    return isKnown ? 'The token is not tried yet.' : 'The token is of an unknown form, and not tried yet.';
  };
  const needs = (security: Ui.SecurityNames) => {
    if (security.every((each) => Object.keys(each).length === 0)) return 'Needs no token.';
    const scopes = security.map((each) => Object.values(each).flat().join(' and ')).filter((each) => each !== '');
    return scopes.length === 0 ? 'Needs a token.' : `Needs a token with the scope ${scopes.join(' or ')}.`;
  };

  const outcomeOf = (response: Ui.State) => String(response.get('status') ?? response.get('message'));

  /** A reply before what was sent, its headers closed. */
  const Reply = ({ response, getComponent, specSelectors, path, method }: Ui.Replied) => {
    const status = React.useRef<Ui.Element | null>(null);
    React.useEffect(() => {
      status.current?.scrollIntoView({ block: 'nearest' });
    }, [response]);
    const text = response.get('text');
    const headers = Object.entries((response.get('headers') as Ui.State).toJS() as Record<string, unknown>);
    const code = { downloadable: true, canCopy: true, language: 'json', fileName: `response_${Date.now()}.json` };
    return h(
      'div',
      { className: 'live-responses-table' },
      h('h4', { ref: status }, 'Reply ', h('span', { className: 'response-col_status' }, outcomeOf(response))),
      typeof text === 'string' && text !== '' && h(getComponent('HighlightCode', true), code, pretty(text)),
      headers.length > 0 &&
        closed(
          `Headers of the reply, after ${String(response.get('duration'))} ms`,
          headers.map(([name, value]) => h('div', { key: name, className: 'headerline' }, `${name}: ${String(value)}`)),
        ),
      closed('The request', h(getComponent('curl', true), { request: specSelectors.mutatedRequestFor(path, method) })),
    );
  };

  return {
    afterLoad(this: { readonly fn: Ui.Sampler }) {
      const { getSampleSchema } = this.fn;
      this.fn.getSampleSchema = (schema, ...others) =>
        inTexts(plain, getSampleSchema(withoutPatterns(schema), ...others));
    },
    components: { liveResponse: Reply },
    statePlugins: {
      spec: {
        wrapActions: {
          // Not the digits of bounds: Swagger UI makes up numbers between them.
          updateSpec: (original) => (text) =>
            original(mark(text).replaceAll(/("(?:m|exclusiveM)(?:in|ax)imum":\s*)"\u2063(.*?)\u2063"/g, '$1$2')),
          changeParamByIdentity: (original) => (at, parameter, value, isXml) =>
            original(at, parameter, inTexts(plain, value), isXml),
          executeRequest: (original, system) => (request) => {
            Object.assign(system.getConfigs(), { requestInterceptor: unmarkRequest });
            const parameters = Object.entries(request.parameters).map(([name, value]) => [name, inTexts(mark, value)]);
            return original({ ...request, parameters: Object.fromEntries(parameters) as Ui.Props });
          },
          setResponse: (original, system) => (path, method, outcome) => {
            const { err, status = err?.response?.status } = outcome;
            const { headers } = system.specSelectors.mutatedRequestFor(path, method).toJS() as Partial<Ui.PageRequest>;
            const credentials = headers?.['Authorization'];
            if (credentials !== undefined && status !== undefined && status < 500)
              judged = { as: status === 401 ? 'refused' : 'accepted', credentials };
            const isLost = status === undefined && (err instanceof TypeError || err?.responseError !== undefined);
            const message = 'The service does not answer: send the same request again.';
            return original(path, method, isLost ? { error: true, err: { name: '', message } } : outcome);
          },
          // Swagger UI does this when it refuses to send a form.
          clearValidateParams: (original, system) => (at) => {
            system.specActions.clearResponse(...at);
            return original(at);
          },
        },
      },
      auth: {
        wrapActions: {
          authorize: (original, system) => (credentials) => {
            system.errActions.clear({ source: 'auth' });
            const cleaned = Object.entries(credentials).map(([name, { value, ...entry }]) => {
              if (typeof value !== 'string') return [name, { ...entry, value }] as const;
              return [
                name,
                { ...entry, value: value.replace(/^\s*(?:bearer\s+)+/i, '').replaceAll(/\s/g, '') },
              ] as const;
            });
            const fault = cleaned.find(([, { value }]) => typeof value === 'string' && !/^[\w.~+/-]+=*$/.test(value));
            if (fault === undefined) return original(Object.fromEntries(cleaned));
            const message = 'This is no token: a token has letters, digits and - . _ ~ + / only. Copy it whole.';
            return system.errActions.newAuthErr({ authId: fault[0], level: 'error', source: 'auth', message });
          },
          persistAuthorizationIfNeeded: (_original, system) => () => {
            localStorage.setItem(storageKey, JSON.stringify(system.authSelectors.authorized().toJS()));
          },
        },
      },
      configs: {
        wrapActions: {
          loaded: (original, system) => () => {
            const kept = localStorage.getItem(storageKey);
            if (kept !== null) system.authActions.restoreAuthorization({ authorized: JSON.parse(kept) as unknown });
            return original();
          },
        },
      },
      layout: {
        wrapSelectors: {
          isShown: (original, system) => (_state, key, otherwise) =>
            original(key, key.at(-1) === 'try-it-out' ? system.authSelectors.authorized().size > 0 : otherwise),
        },
      },
    },
    wrapComponents: {
      BaseLayout: wrapped((Original, props, { specSelectors }) => {
        if (specSelectors.loadingStatus() !== 'failed') return h(Original, props);
        const reload = { className: 'btn', onClick: location.reload.bind(location) };
        return h('p', { role: 'alert' }, 'The service does not answer. ', h('button', reload, 'Load the page again'));
      }),
      InfoContainer: wrapped((Original, props, { specSelectors }) =>
        h(
          'div',
          { className: 'info' },
          h('h1', null, specSelectors.selectInfoTitleField(), ' ', h('small', null, specSelectors.version())),
          h('p', null, specSelectors.selectInfoSummaryField()),
          ['openapi.yaml', 'openapi.json'].map((file) => h('a', { key: file, href: `../${file}` }, file)),
          closed('About this service', h(Original, props)),
        ),
      ),
      authorizeBtn: followed((_props, system) => h('span', { role: 'status' }, tokenState(system))),
      AuthItem: followed((_props, system) => h('p', { role: 'status' }, tokenState(system))),
      authorizationPopup: wrapped((Original, props) => {
        const opener = React.useRef(document.activeElement);
        const dialog = React.useRef<Ui.Element | null>(null);
        React.useEffect(() => {
          dialog.current?.showModal();
          dialog.current?.querySelector('input')?.focus();
          return () => {
            opener.current.focus();
          };
        }, []);
        // What had the focus may be gone: Authorize becomes Logout.
        React.useEffect(() => {
          if (dialog.current?.contains(document.activeElement) === false)
            dialog.current.querySelector('.btn-done')?.focus();
        });
        return h('dialog', { ref: dialog, 'aria-label': 'Available authorizations' }, h(Original, props));
      }),
      OperationSummary: followed<Ui.Props & { readonly operationProps: Ui.State }>(({ operationProps, isShown }) => {
        const security = operationProps.get('security') as Ui.State | undefined;
        return isShown === true && h('p', { className: 'scopes' }, needs((security?.toJS() ?? []) as Ui.SecurityNames));
      }),
      responses: wrapped<{ readonly tryItOutResponse?: Ui.State }>((Original, props) => {
        const reply = props.tryItOutResponse;
        const said = reply && `Reply: ${outcomeOf(reply)}, ${String(reply.get('duration'))} ms`;
        return h(React.Fragment, null, h('p', { role: 'status', className: 'for-ears' }, said), h(Original, props));
      }),
      // Nothing is made up for a parameter: it would be sent.
      parameterRow: wrapped<Ui.Props & { readonly fn: Ui.Sampler }>((Original, props) =>
        h(Original, { ...props, fn: { ...props.fn, getSampleSchema: () => undefined } }),
      ),
      RequestBodyEditor: labelled(
        () => 'Request body',
        ({ errors }) => (errors as Ui.State).size > 0 && h('strong', { role: 'alert' }, 'Not sent: it needs a body.'),
      ),
      JsonSchema_object: labelled(({ description }) => description),
      Servers: labelled(() => 'Server'),
      ExamplesSelect: labelled(() => 'Example'),
      Markdown: wrapped((Original, props) => h(Original, { ...props, source: inTexts(plain, props['source']) })),
      JSONSchema202012ExtensionKeywords: wrapped<{ readonly schema: Ui.Props }>((Original, props) => {
        const { 'x-pattern-message': _message, 'x-error-numbers': numbers, ...schema } = props.schema;
        const isSaid = Object.keys(numbers ?? {}).every((number) => String(schema['description']).includes(number));
        return h(Original, { schema: isSaid ? schema : { ...schema, 'x-error-numbers': numbers } });
      }),
      // Swagger UI puts these into a list as they are.
      JSONSchema202012JSONViewer: wrapped((Original, props) => {
        const isItem = props['className'] === 'json-schema-2020-12-json-viewer-extension-keyword';
        const value: unknown = JSON.parse(JSON.stringify(props['value'] ?? null), (_key, each: unknown) =>
          typeof each === 'string' && /^\u2063-?\d+\u2063$/.test(each) ? BigInt(each.slice(1, -1)) : each,
        );
        return h(isItem ? 'li' : React.Fragment, null, h(Original, { ...props, value }));
      }),
      CloseIcon: followed(() => forEars('Close the dialog')),
      // Browsers take the focus from a button that is disabled.
      execute: wrapped((Original, props) => h(Original, { ...props, disabled: false })),
      // Its name is its text.
      Button: wrapped((Original, props) => h(Original, { ...props, 'aria-label': undefined })),
      // A link inside the button that opens an operation.
      DeepLink: wrapped((Original, props) => h(Original, { ...props, enabled: false })),
    },
  };
}
