import { userOfSystem } from '../environment.ts';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import { ACTS_FILE, appendAct, raiseAct } from '../storage/acts.ts';
import type { Run } from '../storage/engine.ts';
import type { Job } from './io.ts';

/** The acts of operators that are recorded; docs/commands.md lists them. */
export type Act =
  'token created' | 'token revoked' | 'import begun' | 'import ended' | 'removed' | 'restored' | 'migrated';

/** The state after a command that cannot write its line: it ends before its work, or takes the work back. */
const UNDONE: Partial<Record<Act, string>> = {
  migrated: 'only the schema was migrated',
  'token created': 'no token was created',
  'import begun': 'nothing was imported',
};

/**
 * Leaves a line about an act of administration where operators find it later: the command has no log of its own.
 *
 * @param details must have no secret
 * @param run of a store in PostgreSQL
 * @throws ExplainedError if the line cannot be written, which says whether the act is done
 */
export async function recordAct(
  { service: { name }, config: { DATABASE_URL: store }, io }: Job,
  act: Act,
  details: Readonly<Record<string, unknown>>,
  run?: Run,
): Promise<void> {
  const line = JSON.stringify({ time: new Date().toISOString(), act, ...userOfSystem(io.env), ...details });
  try {
    if (store.engine === 'sqlite') appendAct(store.path, line);
    else if (run !== undefined) await raiseAct(run, `${name}: ${line}`);
  } catch (error) {
    const place = store.engine === 'sqlite' ? store.path + ACTS_FILE : 'the log of PostgreSQL';
    const undone = UNDONE[act];
    const done = undone === undefined ? 'the command has done its work, but' : `${undone}, because`;
    const cure = undone === undefined ? 'mend that before the next act' : 'mend that, then run the command again';
    const message = `${done} the line "${act}" cannot be written to ${place}: ${messageOf(error)}; ${cure}`;
    throw new ExplainedError(message, { cause: error });
  }
}
