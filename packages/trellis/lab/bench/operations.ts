/** A kind of request, and what it leaves in the store. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The status of each answer. */
  readonly status: number;
  /**
   * Draws the path and the body of a request.
   *
   * @param newId returns an id that no other request has
   */
  readonly draw: (newId: () => number) => readonly [path: string, body?: string];
  /** The query that counts the requests which the store has kept. */
  readonly kept?: string;
  /** Another operation, which one more connection sends all the time. */
  readonly beside?: 'count' | 'dawdle';
}

const NOTES = 10_000;
const ACCOUNTS = 1000;
const BALANCE = 1e12;
const MAX_AMOUNT = 100;

/** An integer from 1 to `most`. */
const any = (most: number) => 1 + Math.floor(Math.random() * most);
const note = (newId: () => number) => `{"id":${newId()},"name":"Monstera deliciosa","tag":"tropical"}`;

const create: Operation = {
  method: 'POST',
  status: 200,
  draw: (newId) => ['/items', note(newId)],
  // 0 is the id of the bench's first request.
  kept: 'select count(*) from items where id > 0',
};

const lookUp: Operation = { method: 'GET', status: 200, draw: () => [`/notes/${any(NOTES)}`] };

const operations = {
  create,
  'look-up': lookUp,
  constant: { method: 'GET', status: 200, draw: () => [`/constants/${any(NOTES)}`] },
  'list of 20': { method: 'GET', status: 200, draw: () => [`/notes?after=${any(NOTES - 20)}`] },
  insert: {
    method: 'POST',
    status: 201,
    draw: (newId) => ['/notes', note(newId)],
    kept: `select count(*) - ${NOTES} from notes`,
  },
  patch: {
    method: 'PATCH',
    status: 200,
    draw: () => [`/notes/${any(NOTES)}`, `{"tag":"tag ${any(1000)}"}`],
    kept: 'select sum(version) from notes',
  },
  transfer: {
    method: 'POST',
    status: 201,
    draw: (newId) => {
      const from = any(ACCOUNTS);
      const to = ((from + any(ACCOUNTS - 1) - 1) % ACCOUNTS) + 1;
      return ['/transfers', `{"id":${newId()},"from_account":${from},"to_account":${to},"amount":${any(MAX_AMOUNT)}}`];
    },
    // Only if no money was made or lost.
    kept: `select case when sum(balance) = ${ACCOUNTS * BALANCE} and sum(version) = 2 * (select count(*) from transfers)
      then sum(version) / 2 end from accounts`,
  },
  count: { method: 'GET', status: 200, draw: () => ['/items/count'] },
  dawdle: { method: 'POST', status: 201, draw: (newId) => ['/dawdles', note(newId)] },
  'look-up beside scans of a table': { ...lookUp, beside: 'count' },
  'create beside scans of the table': { ...create, beside: 'count' },
  'create beside transactions that wait 40 ms': { ...create, beside: 'dawdle' },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof operations;
export const OPERATIONS: Readonly<Record<OperationName, Operation>> = operations;

/** The statements that fill the tables, on both engines. The ids of these items are negative. */
export function filling(items: number): readonly string[] {
  const fill = (table: string, rows: number, values: string) => `
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${rows})
    insert into ${table} select ${values} from numbers`;
  const row = "'Monstera deliciosa', 'tropical'";
  return [
    ...(items > 0 ? [fill('items', items, `-n, ${row}`)] : []),
    fill('notes', NOTES, `n, ${row}, 0`),
    fill('accounts', ACCOUNTS, `n, ${BALANCE}, 0`),
  ];
}

/** What the tables of results do not say. */
export const TOLD = `A look-up, a list and a patch draw one of ${NOTES.toLocaleString('en')} notes; a transfer draws two of \
${ACCOUNTS.toLocaleString('en')} accounts, inserts itself, reads both and updates each. After each trial the bench counted what \
the store had kept: each request that was answered.`;
