import { ContractError } from '../contract-error.ts';

/** Runs a check. @returns undefined if it threw a refusal, which is then kept */
export type Attempt = <T>(check: () => T) => T | undefined;

/** For a document that is known to be valid: the first refusal is thrown. */
export const directly: Attempt = (check) => check();

/** More lines than these would push the first ones out of sight. */
const MAX_SHOWN = 100;
const MAX_SAID = 200;

/** All refusals of a document, at most one of each place, and the parts that cannot be read because of them. */
export class Findings {
  private readonly found = new Map<string, ContractError>();
  /** Parts that cannot be read and, after a call of `isSound`, all parts that depend on them. */
  private readonly spoilt = new Set<object>();
  /** The spoilt parts whose dependents are not spoilt yet. */
  private readonly spreading: object[] = [];
  private readonly dependents = new Map<object, object[]>();

  readonly attempt: Attempt = (check) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      this.add(error);
      return undefined;
    }
  };

  /** @param part the part that cannot be read, if there is one: the parts that depend on it are not checked further */
  add(error: ContractError, part?: object): void {
    const place = error.at?.split(', ', 1)[0] ?? error.said;
    if (!this.found.has(place)) this.found.set(place, error);
    if (part !== undefined) this.spoil(part);
  }

  spoil(part: object): void {
    if (this.spoilt.has(part)) return;
    this.spoilt.add(part);
    this.spreading.push(part);
  }

  depends(whole: object, part: object): void {
    if (this.spoilt.has(part)) this.spoil(whole);
    else this.dependents.getOrInsertComputed(part, () => []).push(whole);
  }

  /** Whether the part can be read, and all parts that it depends on. */
  readonly isSound = (part: object): boolean => {
    for (let each = this.spreading.pop(); each !== undefined; each = this.spreading.pop())
      for (const whole of this.dependents.get(each) ?? []) this.spoil(whole);
    return !this.spoilt.has(part);
  };

  /** @throws ContractError that tells all refusals, or all but those that an `errorBody` of the service may cure */
  requireNone(ofErrorBody = true): void {
    const error = together([...this.found.values()].filter(({ cure }) => ofErrorBody || cure !== 'errorBody'));
    if (error !== undefined) throw error;
  }

  /** The refusals that only an `errorBody` of the service can cure. */
  get ofErrorBody(): readonly ContractError[] {
    return [...this.found.values()].filter(({ cure }) => cure === 'errorBody');
  }
}

/** @returns one error for all: the kinds that need a decision come first, then those with the most refusals */
function together(all: readonly ContractError[]): ContractError | undefined {
  const [first, second] = all;
  if (second === undefined) return first;
  const kinds = [...Map.groupBy(all, kindOf).values()].sort(
    (one, other) => decisionsIn(other) - decisionsIn(one) || other.length - one.length,
  );
  const lines = kinds.flat().map(({ message }) => message);
  const counts = kinds.map((kind) => {
    const such = kind.length === 1 ? '' : ', and its like';
    const said = kind[0]?.said ?? '';
    const shown = said.length > MAX_SAID ? `${said.slice(0, MAX_SAID)}…` : said;
    return `  ${kind.length} × ${shown}${such}`;
  });
  const left = lines.length > MAX_SHOWN ? `, of which the first ${MAX_SHOWN} are shown above` : '';
  const said = [
    ...lines.slice(0, MAX_SHOWN),
    `openapi.yaml is refused in ${lines.length} places${left}:`,
    ...counts.slice(0, MAX_SHOWN),
  ];
  return new ContractError(said.join('\n'), undefined, 'edit', all);
}

const decisionsIn = (kind: readonly ContractError[]) => Number(kind.some(({ cure }) => cure === 'decision'));

/** Refusals are of one kind if they have the same cure: the text after the last colon, without paths and numbers. */
function kindOf({ said, cure }: ContractError): string {
  return `${cure} ${said.slice(said.lastIndexOf(': ') + 1).replaceAll(/\/\S+|\d+/g, '')}`;
}
