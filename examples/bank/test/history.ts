/** Balances by account. */
export type Balances = Readonly<Record<string, bigint>>;

/** A request of a client, and the answer of the bank. */
export interface Operation {
  /** Before the request was sent, and after the answer had come, on one clock. */
  readonly start: number;
  readonly end: number;
  /** Either a transfer, which moved money or was refused because the balance was less than the amount, … */
  readonly transfer?: { readonly from: string; readonly to: string; readonly amount: bigint };
  readonly moved?: boolean;
  /** … or the balances that one answer showed. */
  readonly read?: Balances;
}

/**
 * Whether the operations can have been done one after the other, each at a moment between its start and its end, with these
 * answers: strict serializability. It looks for such an order by trying (Wing and Gong), and tries no state twice (Lowe): the
 * operations that are done determine the balances. The time grows with the number of operations, and exponentially with
 * how many of them overlap.
 */
export function isSerializable(opening: Balances, history: readonly Operation[]): boolean {
  const operations = history.toSorted((one, other) => one.start - other.start);
  const balances = new Map(Object.entries(opening));
  const done = new Set<Operation>();
  const tried = new Set<string>();

  const move = (from: string, to: string, amount: bigint) => {
    balances.set(from, (balances.get(from) ?? 0n) - amount);
    balances.set(to, (balances.get(to) ?? 0n) + amount);
  };

  /** Whether the operation may be next. A transfer that may be next, and that moved money, changes the balances. */
  const isNext = ({ transfer, moved = false, read = {} }: Operation): boolean => {
    if (transfer === undefined) return Object.entries(read).every(([id, balance]) => balances.get(id) === balance);
    const { from, to, amount } = transfer;
    const suffices = (balances.get(from) ?? 0n) >= amount;
    if (moved && suffices) move(from, to, amount);
    return moved === suffices;
  };

  const undo = ({ transfer, moved }: Operation) => {
    if (transfer !== undefined && moved === true) move(transfer.to, transfer.from, transfer.amount);
  };

  /** The operations that may be next by their times: they begin before any other that is not done ends. */
  const candidates = (first: number): Operation[] => {
    const open: Operation[] = [];
    let earliestEnd = Infinity;
    for (const operation of operations.slice(first, first + MAX_OVERLAP)) {
      if (operation.start > earliestEnd) return open;
      if (done.has(operation)) continue;
      earliestEnd = Math.min(earliestEnd, operation.end);
      open.push(operation);
    }
    if (first + MAX_OVERLAP < operations.length) throw new Error('too many operations overlap');
    return open;
  };

  // Not by recursion, because a history may be longer than JavaScript's stack is deep.
  const stack: { readonly first: number; readonly open: Operation[]; chosen?: Operation }[] = [];
  const visit = (from: number): void => {
    let first = from;
    for (let operation = operations[first]; operation !== undefined && done.has(operation);)
      operation = operations[++first];
    const open = candidates(first);
    const key = `${first}:${open.map((each) => operations.indexOf(each, first)).join()}`;
    stack.push({ first, open: tried.has(key) ? [] : open });
    tried.add(key);
  };
  visit(0);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (done.size === operations.length) return true;
    if (top.chosen !== undefined) {
      undo(top.chosen);
      done.delete(top.chosen);
      delete top.chosen;
    }
    const next = top.open.shift();
    if (next === undefined) stack.pop();
    else if (isNext(next)) {
      top.chosen = next;
      done.add(next);
      visit(top.first);
    }
  }
  return false;
}

const MAX_OVERLAP = 1000;
