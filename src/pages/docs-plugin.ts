/** What the plugin uses of an Immutable.js map, which holds the contract and the replies. */
interface Tree {
  readonly size: number;
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
  toJS(): Readonly<Record<string, string>>;
}

type Props = Readonly<Record<string, unknown>>;
type Component = (props: Props) => unknown;

/** What the plugin uses of Swagger UI's plugin API. */
interface System {
  readonly React: {
    readonly createElement: (type: unknown, props?: Props | null, ...children: readonly unknown[]) => unknown;
    readonly useState: <Value>(initial: Value) => [Value, (value: Value) => void];
    readonly Fragment: unknown;
  };
  getComponent(name: string, connected: true): unknown;
  readonly specSelectors: { specJson(): Tree; servers(): Tree };
  readonly authSelectors: { authorized(): Tree };
  readonly authActions: { logoutWithPersistOption(names: readonly string[]): void };
}

/** A part of the contract, as far as the plugin looks into it. */
interface Part {
  readonly $ref?: string;
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Part>>>>;
  readonly requestBody?: Part;
  readonly content?: Readonly<Record<string, Part>>;
  readonly schema?: Part;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly example?: { id?: unknown };
  readonly examples?: Readonly<Record<string, Part>>;
  readonly value?: { id?: unknown };
}

/** What the plugin uses of the page's document. */
interface Page {
  readonly document: { readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } } };
  fetch(address: string): Promise<{ readonly ok: boolean; text(): Promise<string> }>;
  matchMedia(query: string): {
    readonly matches: boolean;
    addEventListener(type: 'change', listener: () => void): void;
  };
}

/**
 * A plugin of Swagger UI. The browser runs the text of this function, so it refers to nothing outside of itself.
 * https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/
 */
export function docsPlugin({ React }: System): object {
  const page = globalThis as unknown as Page;
  const dark = page.matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    page.document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  dark.addEventListener('change', follow);
  follow();

  const h = React.createElement;
  const b = (text: string) => h('strong', null, text);
  const forEars = (text: string) => h('span', { className: 'for-ears' }, text);
  const meaningsOf = ({ specSelectors }: System) => {
    const path = ['components', 'schemas', 'Error', 'properties', 'error', 'x-error-numbers'];
    return (specSelectors.specJson().getIn(path) as Tree | undefined)?.toJS() ?? {};
  };

  const FirstPlant: Component = ({ forget }) =>
    h(
      'section',
      { className: 'first-plant' },
      h('h2', null, 'A first plant in a minute'),
      h(
        'ol',
        null,
        h(
          'li',
          null,
          'Ask the operator of the service for an access token. If you run it yourself, the first start prints one, and ',
          h('code', null, 'npm run --silent plant-store -- token create NAME'),
          ' makes another.',
        ),
        h(
          'li',
          null,
          'Choose ',
          b('Authorize'),
          ', paste the token, choose ',
          b('Authorize'),
          ' again, then ',
          b('Close'),
          '. This browser keeps the token in its local storage until you forget it. ',
          forget,
        ),
        h(
          'li',
          null,
          'Open ',
          b('POST /plants'),
          ', choose ',
          b('Try it out'),
          ', then ',
          b('Execute'),
          '. Each visit fills in a new id.',
        ),
        h(
          'li',
          null,
          'Read the answer below ',
          b('Server response'),
          '. Choose ',
          b('Execute'),
          ' again to see a replay.',
        ),
      ),
    );

  const Clients: Component = ({ Markdown }) => {
    const [text, setText] = React.useState('');
    const load = async () => {
      if (text !== '') return;
      const reply = await page.fetch('clients.md').catch(() => undefined);
      if (reply?.ok !== true) return;
      // The summary is the title, and the links lead to files that the service does not serve.
      const body = (await reply.text()).replace(/^# .*/, '');
      setText(body.replaceAll(/\[([^\]]+)\]\((?!https:)[^)]+\)/g, '$1'));
    };
    return h(
      'details',
      { className: 'clients', onToggle: load },
      h('summary', null, 'Calling the service from code'),
      h(Markdown, { source: text }),
    );
  };

  const ErrorNumbers = (system: System) =>
    h(
      'section',
      { className: 'error-numbers', id: 'errors' },
      h('h2', null, 'Error numbers'),
      h(
        'table',
        null,
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'error'), h('th', { scope: 'col' }, 'meaning'))),
        h(
          'tbody',
          null,
          Object.entries(meaningsOf(system)).map(([number, meaning]) =>
            h('tr', { key: number, id: `error-${number}` }, h('th', { scope: 'row' }, number), h('td', null, meaning)),
          ),
        ),
      ),
    );

  /** What a reply means, in the words of the contract. */
  const Meaning = (system: System, { response, path, method }: Props) => {
    const reply = response as Tree;
    const contract = system.specSelectors.specJson();
    // In an Error the number is the first member, in a problem (RFC 9457) the last.
    const [, error] = /(?<!\\)"error":(\d{5})[,}]/.exec(String(reply.get('text'))) ?? [];
    if (error !== undefined) {
      const meaning = meaningsOf(system)[error];
      if (meaning === undefined) return null;
      return h(
        'p',
        { className: 'meaning wrong' },
        h('a', { href: `#error-${error}` }, `Error ${error}`),
        `: ${meaning}.`,
      );
    }
    const replayed = reply.getIn(['headers', 'idempotent-replayed']) !== undefined;
    const description = replayed
      ? contract.getIn(['components', 'headers', 'Idempotent-Replayed', 'description'])
      : contract.getIn([
          'paths',
          String(path),
          String(method),
          'responses',
          String(reply.get('status')),
          'description',
        ]);
    const source = { source: description };
    return (
      typeof description === 'string' &&
      h('div', { className: 'meaning' }, h(system.getComponent('Markdown', true), source))
    );
  };

  return {
    components: {
      ForgetToken: ({ authSelectors, authActions }: System) =>
        authSelectors.authorized().size > 0 &&
        h(
          'button',
          {
            className: 'btn',
            onClick: () => {
              authActions.logoutWithPersistOption(Object.keys(authSelectors.authorized().toJS()));
            },
          },
          'Forget the token',
        ),
    },
    wrapComponents: {
      InfoContainer: (Original: unknown, system: System) => (props: Props) =>
        h(
          React.Fragment,
          null,
          h(
            'p',
            { className: 'back' },
            h('a', { href: '../' }, `← ${String(system.specSelectors.specJson().getIn(['info', 'title']))}`),
          ),
          h(Original, props),
          h(FirstPlant, { forget: h(system.getComponent('ForgetToken', true)) }),
          h(Clients, { Markdown: system.getComponent('Markdown', true) }),
        ),
      // A menu of one server has nothing to choose.
      ServersContainer: (Original: unknown, system: System) => (props: Props) =>
        system.specSelectors.servers().size > 1 ? h(Original, props) : null,
      operations: (Original: unknown, system: System) => (props: Props) =>
        h(React.Fragment, null, h(Original, props), Object.keys(meaningsOf(system)).length > 0 && ErrorNumbers(system)),
      liveResponse: (Original: unknown, system: System) => (props: Props) =>
        h(React.Fragment, null, Meaning(system, props), h(Original, props)),
      // Each of these components lacks a name, or has a control inside a control (axe: select-name, label, button-name,
      // label-content-name-mismatch, nested-interactive).
      ExamplesSelect: (Original: unknown) => (props: Props) => h('label', null, forEars('Example'), h(Original, props)),
      TextArea: (Original: unknown) => (props: Props) => h(Original, { 'aria-label': 'Request body', ...props }),
      CloseIcon: (Original: unknown) => (props: Props) =>
        h(React.Fragment, null, h(Original, props), forEars('Close the dialog')),
      Button: (Original: unknown) => (props: Props) => h(Original, { ...props, 'aria-label': undefined }),
      DeepLink: (Original: unknown) => (props: Props) => h(Original, { ...props, enabled: false }),
      // Replies of failures are one line each until the reader opens them.
      response:
        (Original: unknown) =>
        (props: Props): unknown => {
          const [open, setOpen] = React.useState(false);
          const code = String(props['code']);
          if (code.startsWith('2')) return h(Original, props);
          const [first = ''] = String((props['response'] as Tree).get('description')).split(/(?<=\.)\s/);
          const line = h(
            'tr',
            { className: 'response failure' },
            h('td', { className: 'response-col_status' }, open ? '' : code),
            h(
              'td',
              { colSpan: 2 },
              h(
                'button',
                {
                  'aria-expanded': open,
                  onClick: () => {
                    setOpen(!open);
                  },
                },
                open ? `Hide ${code}` : first,
              ),
              ' ',
              h('a', { href: '#errors' }, 'error numbers'),
            ),
          );
          return h(React.Fragment, null, line, open && h(Original, props));
        },
    },
    statePlugins: {
      spec: {
        wrapActions: {
          // The store may already have the id of the example. Only an id without limits can be any integer.
          updateJsonSpec: (original: (json: Part) => unknown) => (json: Part) => {
            const at = (value: unknown, name: string) => (value as Readonly<Record<string, unknown>>)[name];
            const follow = (part: Part | undefined) =>
              part?.$ref === undefined ? part : (part.$ref.split('/').slice(1).reduce<unknown>(at, json) as Part);
            let id = Date.now();
            for (const operations of Object.values(json.paths ?? {}))
              for (const { requestBody } of Object.values(operations))
                for (const { schema, example, examples = {} } of Object.values(follow(requestBody)?.content ?? {})) {
                  const { description: _description, ...limits } = follow(schema)?.properties?.['id'] ?? {};
                  if (Object.values(limits).sort().join() !== 'int64,integer') continue;
                  const values = [example, ...Object.values(examples).map((each) => follow(each)?.value)];
                  for (const value of values) if (value?.id !== undefined) value.id = id++;
                }
            return original(json);
          },
        },
      },
    },
  };
}
