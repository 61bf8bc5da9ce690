import type * as Ui from './swagger-ui.ts';

/**
 * A plugin of Swagger UI, which mends what keeps people from using it. The browser runs the text of this function, so it
 * refers to nothing outside of itself. https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/
 */
export function docsPlugin({ React }: Ui.System, { storageKey, tokenPrefix }: Ui.PageFacts): Ui.Plugin {
  const { addEventListener, document, location, localStorage } = globalThis as unknown as Ui.Browser;
  const h = React.createElement;
  const both = (...children: readonly unknown[]) => h(React.Fragment, null, ...children);
  const wrapped =
    <P = Ui.Props>(render: (Original: unknown, props: P, system: Ui.System) => unknown) =>
    (Original: unknown, system: Ui.System) =>
    (props: P) =>
      render(Original, props, system);
  const closed = (name: string, ...children: readonly unknown[]) =>
    h('details', null, h('summary', null, name), ...children);
  const hidden = () => null;

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

  /** What the service has said of each token. */
  const judged = new Map<string, 'accepted' | 'refused'>();
  const authorized = ({ authSelectors }: Ui.System) => authSelectors.authorized().toJS();
  const tokenState = (token: string | undefined) => {
    if (token === undefined) return 'No token.';
    const verdict = judged.get(token);
    if (verdict !== undefined) return `The service has ${verdict} the token.`;
    const isKnown = token.startsWith(tokenPrefix) || /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
    return isKnown ? 'The token is not tried yet.' : 'The token is of an unknown form, and not tried yet.';
  };
  const needs = (security: Ui.SecurityNames) => {
    const tokens = security.filter((each) => Object.keys(each).length > 0);
    if (tokens.length === 0) return 'Needs no token.';
    const scopes = tokens.map((each) => Object.values(each).flat().join(' and '));
    const demand = scopes.includes('') ? '' : `the scope ${scopes.join(' or ')}`;
    if (tokens.length < security.length) return `A token is optional${demand && `, and must have ${demand}`}.`;
    return `Needs a token${demand && ` with ${demand}`}.`;
  };

  /** The field of a security scheme, with the state of the token in it. */
  const Token = ({ id, schema, ...system }: Ui.System & { readonly id: string; readonly schema: Ui.Props }) => {
    const [typed, type] = React.useState('');
    const [isWrong, blame] = React.useState(false);
    const { authActions, getComponent } = system;
    const token = authorized(system)[id]?.value;
    const isKept = token !== undefined;
    const submit = (event: Ui.FieldEvent) => {
      event.preventDefault();
      const value = typed.replace(/^\s*(?:bearer\s+)+/i, '').replaceAll(/\s/g, '');
      const isToken = /^[\w.~+/-]+=*$/.test(value);
      blame(!isToken && !isKept);
      if (isKept) authActions.logout([id]);
      else if (isToken) authActions.authorize({ [id]: { name: id, schema, value } });
      localStorage.setItem(storageKey, JSON.stringify(authorized(system)));
      type('');
    };
    const field = {
      value: isKept ? '••••••••' : typed,
      readOnly: isKept,
      'aria-invalid': isWrong,
      autoComplete: 'off',
    };
    const onChange = (event: Ui.FieldEvent) => type(event.target.value);
    const name = schema['type'] === 'apiKey' ? `Key for ${String(schema['name'])}` : 'Access token';
    const fault = 'This is no token: it has letters, digits and - . _ ~ + / only. Copy it whole.';
    return h(
      'form',
      { onSubmit: submit },
      h('label', null, name, h('input', { ...field, onChange })),
      h('button', { className: 'btn' }, isKept ? 'Forget token' : 'Use token'),
      h('span', { role: 'status' }, tokenState(token)),
      h('span', { role: 'alert', className: 'errors' }, isWrong && fault),
      isKept || h(getComponent('Markdown', true), { source: schema['description'] }),
    );
  };

  /** What the contract says of the replies to an operation, by status. */
  const repliesOf = ({ specSelectors }: Ui.System, path: string, method: string) =>
    (specSelectors.specResolvedSubtree(['paths', path, method, 'responses'])?.toJS() ?? {}) as Ui.DeclaredReplies;
  const hasHeader = ({ headers = {} }: Ui.DeclaredReplies[string], name: string) =>
    Object.keys(headers).some((each) => each.toLowerCase() === name);

  // Swagger UI has no field for the token of these schemes, only forms of identity providers, which the page cannot reach.
  const asBearers = (text: string) => {
    if (!/"type":\s*"(?:oauth2|openIdConnect)"/.test(text)) return text;
    const spec = JSON.parse(text, 'rawJSON' in JSON ? asWritten : undefined) as Ui.Spec;
    for (const each of Object.values(spec.components?.securitySchemes ?? {}))
      if (each['type'] === 'oauth2' || each['type'] === 'openIdConnect')
        Object.assign(each, { type: 'http', scheme: 'bearer', flows: undefined });
    return JSON.stringify(spec);
  };

  /** Shows the reply above the request; the headers that the contract does not declare for it stay folded. */
  const Reply = (_Original: unknown, { response, path, method }: Ui.Replied, system: Ui.System) => {
    const { fn, getComponent, specSelectors } = system;
    const { status, text: body = '', headers = {}, url } = response.toJS();
    const [text, file] = typeof body === 'string' ? [body] : ['', body];
    const type = String(headers['content-type']);
    const isJson = type.includes('json');
    const href = React.useMemo(() => file && URL.createObjectURL(file), [file]);
    React.useEffect(() => () => href && URL.revokeObjectURL(href), [href]);
    const replies = repliesOf(system, path, method);
    const declared = replies[String(status)] ?? replies['default'] ?? {};
    const [, number = ''] = /:\s*([45]\d{4})\b/.exec(text) ?? [];
    const [, meaning] = new RegExp(`"${number}":("(?:[^"\\\\]|\\\\.)*")`).exec(JSON.stringify(declared)) ?? [];
    const lines = (isDeclared: boolean) => {
      const listed = Object.entries(headers).filter(([name]) => hasHeader(declared, name) === isDeclared);
      return listed.map(([name, value]) =>
        h('div', { className: 'headerline' }, `${name}: ${[value].flat().join(', ')}`),
      );
    };
    const command = fn.requestSnippetGenerator_curl_bash(specSelectors.mutatedRequestFor(path, method));
    // People copy it into chats.
    const tokens = Object.values(authorized(system)).map(({ value }) => value);
    const masked = tokens.reduce((whole, token) => whole.replaceAll(token, `'"$TOKEN"'`), command);
    const shell = (text: string) => h(getComponent('HighlightCode', true), { canCopy: true, className: 'curl' }, text);
    const code = {
      downloadable: true,
      canCopy: true,
      language: 'json',
      fileName: `response_${Date.now()}.${isJson ? 'json' : 'txt'}`,
    };
    return h(
      'div',
      { className: 'live-responses-table' },
      meaning && h('p', null, `${number}: ${String(JSON.parse(meaning))}`),
      text && h(getComponent('HighlightCode', true), code, isJson ? pretty(text) : text),
      href && type.startsWith('image/') && h('img', { src: href, alt: 'What the service sent' }),
      href && h('a', { href, download: url?.replace(/.*\/|\?.*/g, '') }, `Download ${String(file?.size)} bytes`),
      ...lines(true),
      status && closed('Other headers of the reply', ...lines(false)),
      closed('The request, with $TOKEN in the place of the token', shell(masked)),
      command !== masked && closed('The request with the token', shell(command)),
    );
  };

  // What the page has without scripts stays until the contract is there.
  const innerHTML = document.querySelector('#swagger-ui > main')?.innerHTML;
  const unscripted = (main: Ui.Element | null) => main && Object.assign(main, { innerHTML });
  /** Operations come first, and below them what the service promises. */
  const BaseLayout = ({ specActions, specSelectors, ...system }: Ui.System) => {
    const status = specSelectors.loadingStatus();
    // A proxy would answer a reload of the page with a page of its own.
    const again = { className: 'btn', onClick: () => specActions.download(specSelectors.url()) };
    const failed = ['The service does not answer. ', h('button', again, 'Load the contract again')];
    if (status !== 'success' || specSelectors.specStr() === '')
      return both(
        h('div', { role: 'alert', className: 'wrapper' }, ...(status === 'failed' ? failed : [])),
        h('main', { className: 'wrapper', ref: unscripted }),
      );
    const [, ...servers] = Object.values(specSelectors.servers().toJS());
    const others = `The contract also names ${servers.map(({ url }) => url).join(', ')}: this page sends to this service only.`;
    const schemes = Object.entries(specSelectors.securityDefinitions()?.toJS() ?? {});
    const parts = ['errors', 'FilterContainer', 'operations', 'Webhooks', 'InfoContainer', 'Models'];
    return h(
      'main',
      { className: 'swagger-ui wrapper' },
      h('h1', null, specSelectors.selectInfoTitleField(), ' ', h('small', null, specSelectors.version())),
      h('p', null, specSelectors.selectInfoSummaryField()),
      h('a', { href: '../openapi.yaml' }, 'openapi.yaml'),
      ' ',
      h('a', { href: '../openapi.json' }, 'openapi.json'),
      servers.length > 0 && h('p', null, others),
      ...schemes.map(([id, schema]) => h(Token, { ...system, id, schema })),
      ...parts.map((name) => h(system.getComponent(name, true))),
    );
  };

  return {
    components: {
      BaseLayout,
      authorizeOperationBtn: hidden,
      CopyToClipboardBtn: hidden,
    },
    fn: {
      opsFilter: (tags, phrase) => {
        const words = phrase.toLowerCase().split(' ');
        const isFound = (name: string) => (each: Ui.Listed) => {
          const said = [['method'], ['path'], ['operation', 'summary'], ['operation', 'operationId']];
          const text = [name, ...said.map((at) => each.getIn(at))].join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        const found = tags.map((tag, name) => tag.set('operations', tag.get('operations').filter(isFound(name))));
        return found.filter((tag) => tag.get('operations').size > 0);
      },
    },
    statePlugins: {
      layout: {
        wrapSelectors: {
          isShown: (original, system) => (_state, key, otherwise) => {
            const filter = system.layoutSelectors.currentFilter();
            const isFound = key[0] === 'operations-tag' && typeof filter === 'string' && filter !== '';
            return original(key, isFound || otherwise);
          },
        },
      },
      spec: {
        wrapActions: {
          updateSpec: (original) => (text) => original(asBearers(text)),
          setResponse: (original, system) => (path, method, outcome) => {
            const { err, status = err?.response?.status } = outcome;
            const { headers } = system.specSelectors.mutatedRequestFor(path, method).toJS();
            const sent = Object.values(headers ?? {}).map((each) => each.replace(/^Bearer /, ''));
            for (const { value } of Object.values(authorized(system)))
              if (sent.includes(value) && status !== undefined && status < 500)
                judged.set(value, status === 401 ? 'refused' : 'accepted');
            const isLost = status === undefined && (err instanceof TypeError || err?.responseError !== undefined);
            const mayRepeat =
              /^(?:get|head|options|put|delete)$/.test(method) ||
              Object.values(repliesOf(system, path, method)).some((each) => hasHeader(each, 'idempotent-replayed'));
            const message = `The service does not answer: ${mayRepeat ? 'send the same request again' : 'it is not known whether the service has done it'}.`;
            return original(path, method, isLost ? { error: true, err: { name: '', message } } : outcome);
          },
          // Swagger UI does this when it refuses to send a form.
          clearValidateParams: (original, system) => (at) => {
            system.specActions.clearResponse(...at);
            return original(at);
          },
        },
      },
      configs: {
        wrapActions: {
          loaded: (original, system) => () => {
            const kept = () => JSON.parse(localStorage.getItem(storageKey) ?? '{}') as unknown;
            const restore = () => system.authActions.restoreAuthorization({ authorized: kept() });
            restore();
            addEventListener('storage', restore);
            addEventListener('hashchange', () => system.layoutActions.parseDeepLinkHash(location.hash));
            return original();
          },
        },
      },
    },
    wrapComponents: {
      liveResponse: wrapped(Reply),
      OperationSummary: wrapped<Ui.Summarized>((Original, props) => {
        const security = props.operationProps.get('security')?.toJS() ?? [];
        const [from, ...within] = props.specPath.toJS();
        // Others receive webhooks and callbacks.
        const isOwn = from === 'paths' && within.length === 2;
        const heading = h('div', { role: 'heading', 'aria-level': 4 }, h(Original, props));
        return both(heading, props.isShown && isOwn && h('p', { className: 'scopes' }, needs(security)));
      }),
      responses: wrapped<{ readonly tryItOutResponse?: Ui.State<Ui.ShownReply> }>((Original, props) => {
        const outcome = React.useRef<Ui.Element | null>(null);
        const reply = props.tryItOutResponse;
        // Each change of the page makes another map of the same reply.
        React.useEffect(() => {
          outcome.current?.scrollIntoView({ block: 'nearest' });
        }, [reply?.get('headers'), reply?.get('message')]);
        const { status, statusText = '', message, headers, error } = reply?.toJS() ?? {};
        const isReplay = headers?.['idempotent-replayed'] === 'true';
        const said = `${String(status ?? message)} ${statusText}`.trim() + (isReplay ? ' · replayed' : '');
        const shown = { ref: outcome, className: error ? 'outcome is-wrong' : 'outcome' };
        return both(h('div', { role: 'status' }, reply && h('h4', shown, said)), h(Original, props));
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
      // Of bytes.
      Input: wrapped((Original, props) =>
        h(Original, props['type'] === 'file' ? { ...props, 'aria-label': 'Request body' } : props),
      ),
      operations: wrapped((Original, props, { specSelectors }) =>
        specSelectors.taggedOperations().size > 0 ? h(Original, props) : h('p', { role: 'status' }, 'Nothing fits.'),
      ),
      FilterContainer: named(() => 'Find an operation: words of its path, summary or tag'),
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
      execute: wrapped<Ui.Executed>((Original, props, { oas3Selectors, specSelectors }) => {
        const lacksBody = (oas3Selectors.requestBodyErrors(props.path, props.method)?.size ?? 0) > 0;
        const wrong = specSelectors.validationErrors([props.path, props.method]);
        const faults = lacksBody ? [...wrong, 'It needs a body.'] : wrong;
        const isThere = specSelectors.specResolvedSubtree(['paths', props.path, props.method]) !== undefined;
        const fault = faults.length > 0 && `Not sent: ${faults.join(' ')}`;
        const alert = h('div', { role: 'alert', className: 'errors' }, fault);
        return both(alert, isThere && h(Original, { ...props, disabled: false }));
      }),
      // Otherwise a link would stand inside the button that opens an operation.
      DeepLink: wrapped((Original, props) => h(Original, { ...props, enabled: false })),
    },
  };
}
