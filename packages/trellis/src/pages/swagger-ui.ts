// The parts that the plugins of the docs page use of Swagger UI's plugin API, of Immutable.js, in which Swagger UI
// keeps its state, and of the browser, whose types programs of Node lack.

export type Props = Readonly<Record<string, unknown>>;

export interface Element {
  readonly focus: () => void;
  readonly scrollIntoView: (options: { readonly block: 'nearest' }) => void;
  readonly contains: (other: unknown) => boolean;
  readonly querySelector: (selector: string) => Element | null;
  readonly showModal: () => void;
}

export interface Browser {
  readonly document: { readonly activeElement: Element };
  readonly location: { readonly reload: () => void };
  readonly localStorage: {
    readonly getItem: (key: string) => string | null;
    readonly setItem: (key: string, value: string) => void;
  };
}

/** A map of Immutable.js. */
export interface State {
  readonly size: number;
  readonly get: (key: string) => unknown;
  readonly toJS: () => unknown;
}

export interface System {
  readonly React: {
    readonly createElement: (type: unknown, props?: Props | null, ...children: readonly unknown[]) => unknown;
    readonly Fragment: unknown;
    readonly useEffect: (effect: () => unknown, causes?: readonly unknown[]) => void;
    readonly useRef: <T>(value: T) => { current: T };
  };
  readonly getComponent: (name: string, isContainer?: boolean) => unknown;
  readonly getConfigs: () => object;
  readonly authActions: Actions<'restoreAuthorization'>;
  readonly authSelectors: { readonly authorized: () => State };
  readonly errActions: Actions<'newAuthErr' | 'clear'>;
  readonly specActions: { readonly clearResponse: (path: string, method: string) => void };
  readonly specSelectors: {
    readonly loadingStatus: () => unknown;
    readonly mutatedRequestFor: (path: string, method: string) => State;
    /** What the page shows of an operation, once it has followed the references in it. */
    readonly specResolvedSubtree: (at: readonly unknown[]) => State | undefined;
    readonly selectInfoTitleField: () => string;
    readonly selectInfoSummaryField: () => string | undefined;
    readonly version: () => string;
  };
}

export type Actions<Name extends string> = Readonly<Record<Name, (payload: object) => unknown>>;

export interface Sampler {
  getSampleSchema: (schema: unknown, ...others: readonly unknown[]) => unknown;
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
export type Credentials = Readonly<Record<string, { readonly value?: unknown }>>;

/** What the page is told of its service. */
export interface PageFacts {
  /** Where the browser keeps the token: no other service of this origin reads it. */
  readonly storageKey: string;
  /** How the service's own tokens begin. */
  readonly tokenPrefix: string;
}

/** The properties of the component that shows a reply. */
export interface Replied extends System {
  readonly response: State;
  readonly path: string;
  readonly method: string;
}

type Wrap<Arguments extends readonly unknown[]> = (
  original: (...args: Arguments) => unknown,
  system: System,
) => (...args: Arguments) => unknown;

export interface Plugin {
  readonly afterLoad?: (this: { readonly fn: Sampler }) => void;
  readonly components?: { readonly liveResponse: (props: Replied) => unknown };
  readonly statePlugins: {
    readonly spec: {
      readonly wrapActions: {
        readonly updateSpec?: Wrap<[text: string]>;
        readonly changeParamByIdentity?: Wrap<[at: unknown, parameter: unknown, value: unknown, isXml: unknown]>;
        readonly executeRequest: Wrap<[request: { readonly parameters: Props }]>;
        readonly setResponse?: Wrap<[path: string, method: string, outcome: RequestOutcome]>;
        readonly clearValidateParams?: Wrap<[at: readonly [string, string]]>;
      };
    };
    readonly auth?: {
      readonly wrapActions: {
        readonly authorize: Wrap<[credentials: Credentials]>;
        readonly persistAuthorizationIfNeeded: Wrap<[]>;
      };
    };
    readonly configs?: { readonly wrapActions: { readonly loaded: Wrap<[]> } };
    readonly layout?: {
      readonly wrapSelectors: {
        readonly isShown: (
          original: (key: unknown, otherwise: unknown) => unknown,
          system: System,
        ) => (state: unknown, key: readonly string[], otherwise: unknown) => unknown;
      };
    };
  };
  readonly wrapComponents: object;
}
