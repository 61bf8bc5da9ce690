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

  /** The last credentials that the service has judged. */
  let judged: { readonly as: 'accepted' | 'refused'; readonly token: string } | undefined;
  const tokenOf = ({ authSelectors }: Ui.System) => {
    const [entry] = Object.values(authSelectors.authorized().toJS() as Record<string, { readonly value?: unknown }>);
    return entry && String(entry.value);
  };
  const tokenState = (system: Ui.System) => {
    const token = tokenOf(system);
    if (token === undefined) return 'No token.';
    if (judged?.token === token) return `The service has ${judged.as} the token.`;
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

  // Swagger UI itself measures only the time of a request that is accepted.
  let startedAt = 0;
  const told = (response: Ui.State) => {
    const status = response.get('status') as number | undefined;
    return status === undefined ? String(response.get('message')) : `Reply ${status}`;
  };
  const took = (response: Ui.State) => {
    const duration = response.get('duration') as number | undefined;
    return duration === undefined ? '' : `, ${duration} ms`;
  };

  // Swagger UI has no field for the token of these schemes, only forms of identity providers, which the page cannot reach.
  const asBearers = (text: string) => {
    if (!/"type":\s*"(?:oauth2|openIdConnect)"/.test(text)) return text;
    const spec = JSON.parse(text, 'rawJSON' in JSON ? asWritten : undefined) as Ui.Spec;
    for (const each of Object.values(spec.components?.securitySchemes ?? {}))
      if (each['type'] === 'oauth2' || each['type'] === 'openIdConnect')
        Object.assign(each, { type: 'http', scheme: 'bearer', flows: undefined });
    return JSON.stringify(spec);
  };

  /** Shows the reply above the request; headers stay folded. */
  const Reply = ({ response, getComponent, specSelectors, path, method }: Ui.Replied) => {
    const heading = React.useRef<Ui.Element | null>(null);
    React.useEffect(() => {
      heading.current?.scrollIntoView({ block: 'nearest' });
    }, [response]);
    const text = response.get('text');
    const headers = Object.entries((response.get('headers') as Ui.State).toJS() as Record<string, unknown>);
    const code = { downloadable: true, canCopy: true, language: 'json', fileName: `response_${Date.now()}.json` };
    return h(
      'div',
      { className: 'live-responses-table' },
      h('h4', { ref: heading, className: 'outcome' }, told(response)),
      typeof text === 'string' && text !== '' && h(getComponent('HighlightCode', true), code, pretty(text)),
      headers.length > 0 &&
        closed(
          `Headers of the reply${took(response)}`,
          headers.map(([name, value]) =>
            h('div', { key: name, className: 'headerline' }, `${name}: ${[value].flat().join(', ')}`),
          ),
        ),
      closed('The request', h(getComponent('curl', true), { request: specSelectors.mutatedRequestFor(path, method) })),
    );
  };

  return {
    components: { liveResponse: Reply },
    statePlugins: {
      spec: {
        wrapActions: {
          updateSpec: (original) => (text) => original(asBearers(text)),
          executeRequest: (original) => (request) => {
            startedAt = Date.now();
            return original(request);
          },
          setResponse: (original, system) => (path, method, outcome) => {
            const { err, status = err?.response?.status } = outcome;
            const { headers } = system.specSelectors.mutatedRequestFor(path, method).toJS() as Partial<Ui.PageRequest>;
            const token = tokenOf(system);
            const isSent = Object.values(headers ?? {}).some((each) => each.replace(/^Bearer /, '') === token);
            if (token !== undefined && isSent && status !== undefined && status < 500)
              judged = { as: status === 401 ? 'refused' : 'accepted', token };
            Object.assign(err?.response ?? {}, { duration: Date.now() - startedAt });
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
            system.errActions.clear({ source: 'token' });
            const cleaned: Record<string, Ui.Credentials[string]> = { ...credentials };
            for (const [authId, { value, ...entry }] of Object.entries(credentials)) {
              if (typeof value !== 'string') continue;
              const token = value.replace(/^\s*(?:bearer\s+)+/i, '').replaceAll(/\s/g, '');
              const message = 'This is no token: a token has letters, digits and - . _ ~ + / only. Copy it whole.';
              if (!/^[\w.~+/-]+=*$/.test(token))
                return system.errActions.newAuthErr({ authId, level: 'fault', source: 'token', message });
              cleaned[authId] = { ...entry, value: token };
            }
            return original(cleaned);
          },
          persistAuthorizationIfNeeded: (_original, system) => () =>
            localStorage.setItem(storageKey, JSON.stringify(system.authSelectors.authorized().toJS())),
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
        const reload = h(
          'button',
          { className: 'btn', onClick: location.reload.bind(location) },
          'Load the page again',
        );
        return h('div', { className: 'wrapper' }, h('p', { role: 'alert' }, 'The service does not answer. ', reload));
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
      authorizationPopup: wrapped((Original, props, { errActions }) => {
        const opener = React.useRef(document.activeElement);
        const dialog = React.useRef<Ui.Element | null>(null);
        React.useEffect(() => {
          dialog.current?.showModal();
          dialog.current?.querySelector('input')?.focus();
          return () => {
            errActions.clear({ source: 'token' });
            opener.current.focus();
          };
        }, []);
        // The element that had the focus may be gone: Authorize becomes Logout.
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
        const said = reply && told(reply) + took(reply);
        return h(React.Fragment, null, h('p', { role: 'status', className: 'for-ears' }, said), h(Original, props));
      }),
      // No value is made up for a parameter, as it would be sent.
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
      JSONSchema202012ExtensionKeywords: wrapped<{ readonly schema: Ui.Props }>((Original, props) => {
        const { 'x-pattern-message': _message, 'x-error-numbers': numbers, ...schema } = props.schema;
        const isUnsaid = ([number]: readonly [string, unknown]) => !String(schema['description']).includes(number);
        const unsaid = Object.entries(numbers ?? {}).filter(isUnsaid);
        const rest = unsaid.length > 0 && { 'x-error-numbers': Object.fromEntries(unsaid) };
        return h(Original, { schema: { ...schema, ...rest } });
      }),
      CloseIcon: followed(() => forEars('Close the dialog')),
      // Without the fields of the operation the button would send nothing; browsers take the focus from a disabled one.
      execute: wrapped((Original, props, { specSelectors }) => {
        const isThere = specSelectors.specResolvedSubtree(['paths', props['path'], props['method']]) !== undefined;
        return isThere && h(Original, { ...props, disabled: false });
      }),
      // The accessible name of a button is its text.
      Button: wrapped((Original, props) => h(Original, { ...props, 'aria-label': undefined })),
      // Otherwise a link would stand inside the button that opens an operation.
      DeepLink: wrapped((Original, props) => h(Original, { ...props, enabled: false })),
    },
  };
}
