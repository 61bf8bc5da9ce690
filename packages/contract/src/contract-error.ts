import { ExplainedError } from './explained-error.ts';

/**
 * What cures the refusal of a contract: an edit of its text; a decision of its author, as the service has nothing like
 * the refused part; or an `errorBody` of the service.
 */
type Cure = 'edit' | 'decision' | 'errorBody';

/** The contract is broken, or demands something that this service cannot do. */
export class ContractError extends ExplainedError {
  override readonly name = 'ContractError';
  /** What is wrong and what to do, without the place. */
  readonly said: string;
  /** Such as `openapi.yaml:12:9`, or `openapi.yaml:12:9, get /items`. */
  readonly at: string | undefined;
  readonly cure: Cure;
  /** The refusals that this error tells together, or the error itself. */
  readonly all: readonly ContractError[];

  constructor(said: string, at?: string, cure: Cure = 'edit', all?: readonly ContractError[]) {
    super(at === undefined ? said : `${at}: ${said}`);
    this.said = said;
    this.at = at;
    this.cure = cure;
    this.all = all ?? [this];
  }
}
