import { ContractError } from '../errors.ts';

/** Runs a check. @returns undefined if it ended with a refusal, which is kept */
export type Attempt = <T>(check: () => T) => T | undefined;

/** Of a document that is known to be kept: the first refusal is thrown. */
export const directly: Attempt = (check) => check();

/** More lines than these hide the first ones. */
const MAX_SHOWN = 100;

/** All refusals of a document, at most one of each place, and which parts of it they spoil. */
export class Findings {
  private readonly found = new Map<string, ContractError>();
  /** Parts that cannot be read, and, once `isSound` was asked, all that depends on them. */
  private readonly spoilt = new Set<object>();
  /** Those of which what depends on them is not spoilt yet. */
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

  /** @param part that cannot be read, if there is one: what depends on it is not looked at further */
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

  /** Whether neither the part nor one that it depends on was spoilt. */
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

  /** What only an `errorBody` of the service can cure. */
  get ofErrorBody(): readonly ContractError[] {
    return [...this.found.values()].filter(({ cure }) => cure === 'errorBody');
  }
}

/** @returns one error of several, which first has those that no edit cures */
function together(all: readonly ContractError[]): ContractError | undefined {
  const [first, second] = all;
  if (second === undefined) return first;
  const kinds = [...Map.groupBy(all, kindOf).values()].sort(
    (one, other) => decisionsIn(other) - decisionsIn(one) || other.length - one.length,
  );
  const lines = kinds.flat().map(({ message }) => message);
  const counts = kinds.map((kind) => {
    const such = kind.length === 1 ? '' : ', and its like';
    return `  ${kind.length} × ${kind[0]?.said.slice(0, 200) ?? ''}${such}`;
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

/** Refusals of one kind have one way out. */
function kindOf({ said, cure }: ContractError): string {
  return `${cure} ${said.slice(said.lastIndexOf(': ') + 1).replaceAll(/\/\S+|\d+/g, '')}`;
}
