import type * as Ui from './swagger-ui.ts';

/**
 * A plugin of Swagger UI, which mends what keeps people from using it. The browser runs the text of this function, so it
 * refers to nothing outside of itself. https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/
 */
export function docsPlugin({ Im, React }: Ui.System, { storageKey, tokenPrefix }: Ui.PageFacts): Ui.Plugin {
  const { addEventListener, document, history, location, localStorage } = globalThis as unknown as Ui.Browser;
  const h = React.createElement;
  const both = (...children: readonly unknown[]) => h(React.Fragment, null, ...children);
  const wrapped: Ui.Wrapped = (render) => (Original, system) => (props) => render(Original, props, system);
  const closed = (name: string, ...within: readonly unknown[]) =>
    h('details', null, h('summary', null, name), ...within);

  /** Names the controls within for screen readers, and marks those that Swagger UI has found wrong. */
  const Named = ({ name, children }: { readonly name: string; readonly children: unknown }) => {
    const box = React.useRef<Ui.Element | null>(null);
    React.useEffect(() => {
      for (const kind of ['input, select, textarea', '.json-schema-form-item-remove']) {
        const controls = [...(box.current?.querySelectorAll(kind) ?? [])];
        for (const [index, each] of controls.entries()) {
          const which = controls.length > 1 ? `${name} ${index + 1}` : name;
          each.ariaLabel = kind.startsWith('.') ? `Remove ${which}` : which;
          each.ariaInvalid = String(each.classList.contains('invalid'));
          each.placeholder &&= which;
        }
      }
    });
    return h('div', { ref: box }, children);
  };
  const named = (name: (props: Ui.Props) => unknown) =>
    wrapped((Original, props) => h(Named, { name: String(name(props)) }, h(Original, props)));
  const asWritten = (...[, value, context]: [string, unknown, { readonly source?: string }?]) =>
    typeof value === 'number' ? JSON.rawJSON(String(context?.source)) : value;
  // A browser without JSON.rawJSON shows the text as it came.
  const pretty = (text: string) => {
    try {
      return JSON.stringify(JSON.parse(text, asWritten), null, 2);
    } catch {
      return text;
    }
  };
  const scroll = (element: Ui.Element | null) => element?.scrollIntoView({ block: 'nearest' });
  /** Where the operations stand, by the hash of their links. */
  const places = new Map<string, Ui.Element | null>();
  /** What the service has said of each token. */
  const judged = new Map<string, string>();
  const authorized = ({ authSelectors }: Pick<Ui.System, 'authSelectors'>) => authSelectors.authorized().toJS();
  const tokenState = (token: string) => {
    const isKnown = token.startsWith(tokenPrefix) || /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
    return judged.get(token) ?? `The token is ${isKnown ? '' : 'of an unknown form, and '}not tried yet.`;
  };
  const needs = (security: Ui.SecurityNames) => {
    const tokens = security.filter((each) => Object.keys(each).length > 0);
    if (tokens.length === 0) return 'Needs no token.';
    const scopes = tokens.map((each) => Object.values(each).flat().join(' and '));
    const demand = scopes.includes('') ? '.' : ` with the scope ${scopes.join(' or ')}.`;
    return (tokens.length < security.length ? 'Optional: a token' : 'Needs a token') + demand;
  };

  /** The field of a security scheme, with the state of the token in it. */
  const Token = ({ id, schema, ...system }: Ui.System & { readonly id: string; readonly schema: Ui.Props }) => {
    const [typed, type] = React.useState('');
    const [isWrong, blame] = React.useState(false);
    const { authActions, getComponent } = system;
    const token = authorized(system)[id]?.value;
    const isKept = token !== undefined;
    const onSubmit = (event: Ui.FieldEvent) => {
      event.preventDefault();
      const value = typed.replace(/^\s*(?:bearer\s+)+/i, '').replaceAll(/\s/g, '');
      const isToken = /^[\w.~+/-]+=*$/.test(value);
      blame(!isToken && !isKept);
      if (isKept) authActions.logout([id]);
      else if (isToken) authActions.authorize({ [id]: { name: id, schema, value } });
      localStorage.setItem(storageKey, JSON.stringify(authorized(system)));
      type('');
    };
    const onChange = (event: Ui.FieldEvent) => type(event.target.value);
    const field = { readOnly: isKept, 'aria-invalid': isWrong, autoComplete: 'off', onChange };
    const name = schema['type'] === 'apiKey' ? `Key for ${String(schema['name'])}` : 'Access token';
    const fault = 'This is no token: it has letters, digits and - . _ ~ + / only. Copy it whole.';
    return h(
      'form',
      { onSubmit },
      h('label', null, name, h('input', { ...field, value: isKept ? '••••••••' : typed })),
      h('button', null, isKept ? 'Forget token' : 'Use token'),
      h('span', { role: 'status' }, isKept ? tokenState(token) : 'No token.'),
      h('span', { role: 'alert', className: 'errors' }, isWrong && fault),
      isKept || h(getComponent('Markdown', true), { source: schema['description'] }),
    );
  };

  const repliesOf = ({ specSelectors }: Ui.System, path: string, method: string) =>
    (specSelectors.specResolvedSubtree(['paths', path, method, 'responses'])?.toJS() ?? {}) as Ui.DeclaredReplies;
  const hasHeader = ({ headers = {} }: Ui.DeclaredReplies[string], name: string) =>
    Object.keys(headers).some((each) => each.toLowerCase() === name);

  /** Shows the reply above the request; the headers that the contract does not declare for it stay folded. */
  const Reply = (_Original: unknown, { response, path, method }: Ui.Replied, system: Ui.System) => {
    const { status, text: body = '', headers = {}, url } = response.toJS();
    const [text, file] = typeof body === 'string' ? [body] : ['', body];
    const type = String(headers['content-type']);
    const isJson = type.includes('json');
    const href = React.useMemo(() => file && URL.createObjectURL(file), [file]);
    React.useEffect(() => () => href && URL.revokeObjectURL(href), [href]);
    const { default: other = {}, [String(status)]: declared = other } = repliesOf(system, path, method);
    const [, number = ''] = /:\s*([45]\d{4})\b/.exec(text) ?? [];
    const [, meaning] = new RegExp(`"${number}":("(?:[^"\\\\]|\\\\.)*")`).exec(JSON.stringify(declared)) ?? [];
    const line = ([name, value]: [string, unknown]) =>
      h('div', { key: name, className: 'headerline' }, `${name}: ${[value].flat().join(', ')}`);
    const all = Object.entries(headers);
    const code = { downloadable: true, canCopy: true, fileName: `reply.${isJson ? 'json' : 'txt'}` };
    return h(
      'div',
      { className: 'live-responses-table' },
      meaning && h('p', null, `${number}: ${String(JSON.parse(meaning))}`),
      text && h(system.getComponent('HighlightCode', true), code, isJson ? pretty(text) : text),
      href && type.startsWith('image/') && h('img', { src: href, alt: 'What the service sent' }),
      href && h('a', { href, download: url?.replace(/.*\/|\?.*/g, '') }, `Download ${String(file?.size)} bytes`),
      all.filter(([name]) => hasHeader(declared, name)).map(line),
      status && closed('Other headers', all.filter(([name]) => !hasHeader(declared, name)).map(line)),
    );
  };

  const SHELLS = { bash: '$TOKEN', powershell: '$env:TOKEN', cmd: '%TOKEN%' } as const;
  /** Why the form was not sent, and its request for curl, with a variable for the token: people copy commands into chats. */
  const Command = ({ path, method, fn, specSelectors, oas3Selectors, ...system }: Ui.System & Ui.Executed) => {
    const [isOpen, open] = React.useState(false);
    const [isLive, show] = React.useState(false);
    const [shell, choose] = React.useState<Ui.Shell>('bash');
    const kept = authorized(system);
    const [first = ''] = Object.keys({ ...kept, ...specSelectors.securityDefinitions()?.toJS() });
    const write = () => {
      const token = ([id, each]: [string, object]) => [id, { value: SHELLS[shell], ...(isLive && each) }];
      const body = oas3Selectors.requestBodyValue(path, method);
      const request = {
        spec: specSelectors.specJsonWithResolvedSubtrees().toJS(),
        operationId: `${method}-${path}`,
        parameters: specSelectors.parameterValues([path, method]).toJS(),
        contextUrl: new URL(specSelectors.url(), location.href).href,
        requestContentType: oas3Selectors.requestContentType(path, method),
        // The other shells would end a line of JSON otherwise.
        requestBody: shell !== 'bash' && typeof body === 'string' ? body.replaceAll(/\n\s*/g, '') : body,
        securities: { authorized: Object.fromEntries(Object.entries({ [first]: {}, ...kept }).map(token)) as unknown },
      };
      try {
        const text = fn[`requestSnippetGenerator_curl_${shell}`](Im.fromJS(fn.buildRequest(request)));
        return text.replace(/'(.*\$(?:env:)?TOKEN)'/, '"$1"');
      } catch (error) {
        return String(error);
      }
    };
    const onChange = (event: Ui.FieldEvent) => choose(event.target.value as Ui.Shell);
    const options = Object.keys(SHELLS).map((each) => h('option', { key: each }, each));
    const check = h('input', { type: 'checkbox', onChange: () => show(!isLive) });
    const lacksBody = (oas3Selectors.requestBodyErrors(path, method)?.size ?? 0) > 0;
    const faults = [...specSelectors.validationErrors([path, method]), ...(lacksBody ? ['It needs a body.'] : [])];
    const alert = h(
      'div',
      { role: 'alert', className: 'errors' },
      faults.length > 0 && `Not sent: ${faults.join(' ')}`,
    );
    const details = h(
      'details',
      { onToggle: (event: Ui.FieldEvent) => open(event.currentTarget.open) },
      h('summary', null, 'As a command for curl'),
      h('select', { 'aria-label': 'Shell', onChange }, options),
      first in kept && h('label', null, check, ' with the token'),
      isOpen && h(system.getComponent('HighlightCode', true), { canCopy: true }, write()),
    );
    return both(alert, details);
  };

  // What the page has without scripts stays until the contract is there.
  const innerHTML = document.querySelector('#swagger-ui > main')?.innerHTML;
  const unscripted = (main: Ui.Element | null) => main && Object.assign(main, { innerHTML });
  /** Operations come first, and below them what the service promises. */
  const BaseLayout = ({ specActions, specSelectors, ...system }: Ui.System) => {
    const status = specSelectors.loadingStatus();
    // A proxy would answer a reload of the page with a page of its own.
    const onClick = () => specActions.download(specSelectors.url());
    const failed = ['The service does not answer. ', h('button', { onClick }, 'Load the contract again')];
    if (status !== 'success' || specSelectors.specStr() === '')
      return both(h('p', { role: 'alert' }, ...(status === 'failed' ? failed : [])), h('main', { ref: unscripted }));
    const [, ...servers] = Object.values(specSelectors.servers().toJS());
    const others = `The contract also names ${servers.map(({ url }) => url).join(', ')}: this page sends to this service only.`;
    const schemes = Object.entries(specSelectors.securityDefinitions()?.toJS() ?? {});
    const part = (name: string) => h(system.getComponent(name, true), { key: name });
    return h(
      'main',
      null,
      h('h1', null, specSelectors.selectInfoTitleField(), ' ', h('small', null, specSelectors.version())),
      h('p', null, specSelectors.selectInfoSummaryField()),
      ...['openapi.yaml', 'openapi.json'].flatMap((each) => [h('a', { href: `../${each}` }, each), '\u2003']),
      servers.length > 0 && h('p', null, others),
      schemes.map(([id, schema]) => h(Token, { ...system, key: id, id, schema })),
      ['errors', 'FilterContainer', 'operations', 'Webhooks', 'InfoContainer', 'Models'].map(part),
    );
  };

  return {
    components: { BaseLayout, Command },
    fn: {
      opsFilter: (tags, phrase) => {
        const words = phrase.toLowerCase().split(' ');
        const isFound = (tag: string) => (each: Ui.Listed) => {
          const said = ['summary', 'operationId'].map((field) => each.getIn(['operation', field]));
          const text = [tag, each.get('method'), each.get('path'), ...said].join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        const found = tags.map((tag, name) => tag.set('operations', tag.get('operations').filter(isFound(name))));
        return found.filter((tag) => tag.get('operations').size > 0);
      },
    },
    statePlugins: {
      spec: {
        wrapActions: {
          // Swagger UI has only forms of identity providers for these schemes, which the page cannot reach.
          updateJsonSpec: (original) => (spec) => {
            for (const each of Object.values(spec.components?.securitySchemes ?? {}))
              if (each['type'] === 'oauth2' || each['type'] === 'openIdConnect')
                Object.assign(each, { type: 'http', scheme: 'bearer' });
            return original(spec);
          },
          setResponse: (original, system) => (path, method, outcome) => {
            const { err, status = err?.response?.status } = outcome;
            const { headers } = system.specSelectors.mutatedRequestFor(path, method).toJS();
            const sent = Object.values(headers ?? {}).map((each) => each.replace(/^Bearer /, ''));
            for (const { value } of Object.values(authorized(system)))
              if (sent.includes(value) && status !== undefined && status < 500)
                judged.set(value, `The service has ${status === 401 ? 'refused' : 'accepted'} the token.`);
            const isLost = status === undefined && (err instanceof TypeError || err?.responseError !== undefined);
            const mayRepeat =
              /^(?:get|head|options|put|delete)$/.test(method) ||
              Object.values(repliesOf(system, path, method)).some((each) => hasHeader(each, 'idempotent-replayed'));
            const cure = mayRepeat ? 'send the same request again' : 'it is not known whether the service has done it';
            const lost = { error: true, err: { name: '', message: `The service does not answer: ${cure}.` } };
            return original(path, method, isLost ? lost : outcome);
          },
        },
      },
      configs: {
        wrapActions: {
          loaded: (original, system) => () => {
            const { authActions, layoutActions } = system;
            const kept = () => JSON.parse(localStorage.getItem(storageKey) ?? '{}') as unknown;
            const restore = () => authActions.restoreAuthorization({ authorized: kept() });
            restore();
            addEventListener('storage', restore);
            addEventListener('hashchange', () => {
              const at = decodeURIComponent(location.hash);
              // Otherwise a step back would be a new entry of the history.
              history.pushState = () => undefined;
              layoutActions.parseDeepLinkHash(at);
              Reflect.deleteProperty(history, 'pushState');
              layoutActions.clearScrollTo();
              setTimeout(() => places.get(at)?.scrollIntoView());
            });
            return original();
          },
        },
      },
    },
    wrapComponents: {
      liveResponse: wrapped(Reply),
      OperationSummary: wrapped<Ui.Summarized>((Original, props) => {
        const { security = [], tag, operationId } = props.operationProps.toJS();
        const [from, ...within] = props.specPath.toJS();
        // Others receive webhooks and callbacks.
        const isOwn = from === 'paths' && within.length === 2;
        const ref = (element: Ui.Element | null) => places.set(`#/${tag}/${operationId}`, element);
        const heading = h('div', { role: 'heading', 'aria-level': 4, ref }, h(Original, props));
        return both(heading, props.isShown && isOwn && h('p', { className: 'scopes' }, needs(security)));
      }),
      responses: wrapped<{ readonly tryItOutResponse?: Ui.State<Ui.ShownReply> }>((Original, props) => {
        const { status, statusText = '', message, headers = {}, error } = props.tryItOutResponse?.toJS() ?? {};
        const isReplay = headers['idempotent-replayed'] === 'true';
        const said = `${String(status ?? message)} ${statusText}`.trim() + (isReplay ? ' · replayed' : '');
        const className = error ? 'outcome is-wrong' : 'outcome';
        const outcome = h('h4', { key: headers['x-request-id'], ref: scroll }, h('span', { className }, said));
        return both(h('div', { role: 'status' }, props.tryItOutResponse && outcome), h(Original, props));
      }),
      // A failure is a row, which opens.
      response: wrapped<Ui.DescribedReply>((Original, props) => {
        if (/^[123]/.test(props.code)) return h(Original, props);
        const [sentence = ''] = /^.*?(?:[.](?=\s)|$)/s.exec(String(props.response.get('description'))) ?? [];
        const whole = h('table', null, h('tbody', null, h(Original, props)));
        const row = closed(sentence.replaceAll(/[`*]/g, ''), whole);
        return h('tr', { 'data-code': props.code }, h('td', null, props.code), h('td', null, row));
      }),
      // No value is made up for a parameter, as it would be sent.
      parameterRow: wrapped<Ui.Props & { readonly fn: Ui.Sampler }>((Original, props) =>
        h(Original, { ...props, fn: { ...props.fn, getSampleSchema: () => undefined } }),
      ),
      RequestBodyEditor: named(() => 'Request body'),
      // JsonSchemaForm names others than a file.
      Input: wrapped((Original, props) => h(Original, { 'aria-label': 'Request body', ...props })),
      operations: wrapped((Original, props, { specSelectors }) =>
        specSelectors.taggedOperations().size > 0 ? h(Original, props) : h('p', { role: 'status' }, 'Nothing fits.'),
      ),
      FilterContainer: named(() => 'Find an operation'),
      ParameterExt: wrapped((Original, props) => props['xKey'] !== 'pattern' && h(Original, props)),
      JsonSchemaForm: named(({ description }) => description),
      ExamplesSelect: named(() => 'Example'),
      JSONSchema202012ExtensionKeywords: wrapped<{ readonly schema: Ui.Props }>((Original, props) => {
        const { 'x-pattern-message': _message, 'x-error-numbers': numbers, ...schema } = props.schema;
        const unsaid = Object.entries(numbers ?? {}).filter(([each]) => !String(schema['description']).includes(each));
        const rest = unsaid.length > 0 && { 'x-error-numbers': Object.fromEntries(unsaid) };
        return h(Original, { schema: { ...schema, ...rest } });
      }),
      // Without the fields of the operation the button would send nothing; browsers take the focus from a disabled one.
      execute: wrapped<Ui.Executed>((Original, props, { getComponent, specSelectors }) => {
        const { path, method } = props;
        const isThere = specSelectors.specResolvedSubtree(['paths', path, method]) !== undefined;
        return isThere && both(h(Original, { ...props, disabled: false }), h(getComponent('Command', true), props));
      }),
      // Otherwise a link would stand inside the button that opens an operation.
      DeepLink: wrapped((Original, props) => h(Original, { ...props, enabled: false })),
    },
  };
}
