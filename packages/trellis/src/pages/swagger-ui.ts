// The parts that the plugins of the docs page use of Swagger UI's plugin API, of Immutable.js, in which Swagger UI
// keeps its state, and of the browser, whose types programs of Node lack.

export type Props = Readonly<Record<string, unknown>>;

export interface Element {
  ariaLabel: string | null;
  ariaInvalid: string | null;
  placeholder?: string;
  readonly classList: { readonly contains: (name: string) => boolean };
  readonly querySelectorAll: (selector: string) => Iterable<Element>;
  /** Of a `details`. */
  readonly open: boolean;
  readonly focus: () => void;
  readonly scrollIntoView: (options?: { readonly block: 'nearest' }) => void;
}

export interface Browser {
  readonly document: { readonly querySelector: (selector: string) => { readonly innerHTML: string } | null };
  readonly addEventListener: (type: string, listener: (event: { readonly key: string | null }) => void) => void;
  readonly history: { pushState: () => void };
  readonly location: { readonly hash: string; readonly href: string };
  readonly localStorage: {
    readonly getItem: (key: string) => string | null;
    readonly setItem: (key: string, value: string) => void;
  };
}

/** An event of a field, or of the form around it. */
export interface FieldEvent {
  readonly target: { readonly value: string };
  readonly currentTarget: Element;
  readonly preventDefault: () => void;
}

/** A map or a list of Immutable.js. */
export interface State<T = unknown> {
  readonly size: number;
  readonly get: (key: string) => unknown;
  readonly toJS: () => T;
}

export interface System {
  readonly Im: { readonly fromJS: (value: unknown) => State };
  readonly React: {
    readonly createElement: (type: unknown, props?: Props | null, ...children: readonly unknown[]) => unknown;
    readonly Fragment: unknown;
    readonly useMemo: <T>(make: () => T, causes: readonly unknown[]) => T;
    readonly useEffect: (effect: () => unknown, causes?: readonly unknown[]) => void;
    readonly useState: <T>(value: T) => readonly [T, (next: T) => void];
    readonly useRef: <T>(value: T) => { current: T };
  };
  readonly getComponent: (name: string, isContainer?: boolean) => unknown;
  readonly getConfigs: () => object;
  readonly fn: {
    readonly jsonSchema202012: { readonly getType: (schema: Props) => string };
    readonly buildRequest: Builder['buildRequest'];
  } & Readonly<Record<`requestSnippetGenerator_curl_${Shell}`, (request: State) => string>>;
  readonly authActions: Actions<'authorize' | 'logout' | 'restoreAuthorization'>;
  readonly authSelectors: { readonly authorized: () => State<Credentials> };
  readonly layoutActions: {
    readonly clearScrollTo: () => unknown;
    readonly parseDeepLinkHash: (hash: string) => unknown;
  };
  readonly oas3Selectors: {
    readonly requestBodyErrors: (path: string, method: string) => State | null;
    /** A text, or a file. */
    readonly requestBodyValue: (path: string, method: string) => unknown;
    readonly requestContentType: (path: string, method: string) => string | null;
  };
  readonly specActions: {
    readonly download: (url: string) => unknown;
  };
  readonly specSelectors: {
    readonly loadingStatus: () => unknown;
    readonly parameterValues: (at: readonly [string, string]) => State;
    readonly specJsonWithResolvedSubtrees: () => State;
    readonly mutatedRequestFor: (path: string, method: string) => State<Partial<PageRequest>>;
    readonly securityDefinitions: () => State<Readonly<Record<string, Props>>> | undefined;
    readonly servers: () => State<readonly { readonly url: string }[]>;
    /** What the page shows of an operation, once it has followed the references in it. */
    readonly specResolvedSubtree: (at: readonly unknown[]) => State | undefined;
    readonly selectInfoTitleField: () => string;
    readonly selectInfoSummaryField: () => string | undefined;
    readonly specStr: () => string;
    readonly taggedOperations: () => Collection<Tag>;
    readonly url: () => string;
    readonly validationErrors: (at: readonly [string, string]) => readonly string[];
    readonly version: () => string;
  };
}

export type Actions<Name extends string> = Readonly<Record<Name, (payload: object) => unknown>>;

/** A schema, as JSON. */
export interface ShownSchema extends Props {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly items?: ShownSchema;
  readonly allOf?: readonly ShownSchema[];
  readonly anyOf?: readonly ShownSchema[];
  readonly oneOf?: readonly ShownSchema[];
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly uniqueItems?: boolean;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

export interface Sampler {
  getSampleSchema: (
    schema: unknown,
    mediaType?: string,
    config?: { readonly includeWriteOnly?: boolean },
    given?: unknown,
  ) => unknown;
}

export interface Builder {
  buildRequest: (request: unknown) => PageRequest;
}

export interface PageRequest {
  url: string;
  readonly headers: Record<string, string>;
}

export interface RequestOutcome {
  readonly error?: boolean;
  readonly status?: number;
  readonly err?: Pick<Error, 'name' | 'message'> & {
    readonly response?: { readonly status: number };
    readonly responseError?: Error;
  };
}

export interface Spec {
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, Props>> };
}
/** Alternatives of security schemes, each with its scopes. */
export type SecurityNames = readonly Readonly<Record<string, readonly string[]>>[];

/** What the reader of the page has entered, by the name of the security scheme. */
export type Credentials = Readonly<Record<string, { readonly value: string }>>;

/** An operation in the list, as a map of Immutable.js. */
export interface Listed {
  readonly get: (key: string) => unknown;
  readonly getIn: (at: readonly string[]) => unknown;
}

interface Collection<T> {
  readonly size: number;
  readonly map: (change: (item: T, key: string) => T) => Collection<T>;
  readonly filter: (choose: (item: T) => boolean) => Collection<T>;
}

interface Tag {
  readonly get: (key: 'operations') => Collection<Listed>;
  readonly set: (key: 'operations', value: Collection<Listed>) => Tag;
}

export type Shell = 'bash' | 'powershell' | 'cmd';

/** What the page is told of its service. */
export interface PageFacts {
  /** Where the browser keeps the token: no other service of this origin reads it. */
  readonly storageKey: string;
  /** How the service's own tokens begin. */
  readonly tokenPrefix: string;
}

/** The outcome of a request. */
export interface ShownReply {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly url?: string;
  /** Bytes are a Blob. */
  readonly text?: string | Blob;
  readonly error?: boolean;
  readonly message?: string;
  readonly duration?: number;
}

/** What the contract says of the replies to an operation, by status. */
export type DeclaredReplies = Readonly<Record<string, { readonly headers?: Props }>>;

/** The properties of the component that shows a reply. */
export interface Replied {
  readonly response: State<ShownReply>;
  readonly path: string;
  readonly method: string;
}

/** The properties of the component that shows what the contract says of a reply. */
export interface DescribedReply extends Props {
  readonly code: string;
  readonly response: State;
}

/** The properties of the component that opens an operation. */
export interface Summarized extends Props {
  readonly operationProps: State<{
    readonly tag: string;
    readonly operationId: string;
    readonly security?: SecurityNames;
  }>;
  readonly specPath: State<readonly string[]>;
  readonly isShown: boolean;
}

/** The properties of the button that sends a request. */
export interface Executed extends Props {
  readonly path: string;
  readonly method: string;
}

/** Makes of what renders a component the wrapper of one. */
export type Wrapped = <P = Props>(
  render: (Original: unknown, props: P, system: System) => unknown,
) => (Original: unknown, system: System) => (props: P) => unknown;

type Wrap<Arguments extends readonly unknown[]> = (
  original: (...args: Arguments) => unknown,
  system: System,
) => (...args: Arguments) => unknown;

export interface Plugin {
  readonly afterLoad?: (this: { readonly fn: Sampler & Builder }) => void;
  readonly fn?: { readonly opsFilter: (tags: Collection<Tag>, phrase: string) => Collection<Tag> };
  readonly components?: {
    readonly BaseLayout: (props: System) => unknown;
    readonly [name: string]: (props: never) => unknown;
  };
  readonly statePlugins: {
    readonly spec: {
      readonly wrapActions: {
        readonly updateSpec?: Wrap<[text: string]>;
        readonly changeParamByIdentity?: Wrap<[at: unknown, parameter: unknown, value: unknown, isXml: unknown]>;
        readonly executeRequest?: Wrap<[request: unknown]>;
        readonly updateJsonSpec?: Wrap<[spec: Spec]>;
        readonly setResponse?: Wrap<[path: string, method: string, outcome: RequestOutcome]>;
      };
      readonly wrapSelectors?: {
        readonly parameterValues: (original: (at: unknown) => unknown) => (state: unknown, at: unknown) => unknown;
      };
    };
    readonly configs?: { readonly wrapActions: { readonly loaded: Wrap<[]> } };
  };
  readonly wrapComponents: object;
}
