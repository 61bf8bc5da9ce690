import type { ExchangeComparison } from './exchange.ts';
import { allNames, type Node } from './nodes.ts';

/** Compares the replies of an operation, which are by status: `200`, `4XX`, `default`. */
export function compareReplies(comparison: ExchangeComparison, was: Node, is: Node, where: string): void {
  for (const status of allNames(was, is).filter((name) => !name.startsWith('x-'))) {
    const place = `${where}, reply ${status}`;
    if (Object.hasOwn(was, status) && Object.hasOwn(is, status)) comparison.reply(was[status], is[status], place);
    else if (Object.hasOwn(is, status)) compareAdded(comparison, coveringReply(was, status), is[status], status, place);
    else compareRemoved(comparison, was[status], coveringReply(is, status), status, place);
  }
}

function compareAdded(
  comparison: ExchangeComparison,
  covering: unknown,
  now: unknown,
  status: string,
  where: string,
): void {
  // A success that was told as any other failure was not told.
  if (covering === undefined || isSuccess(status)) {
    comparison.report('reply status added', where);
    return;
  }
  comparison.report('reply status added under another', where);
  comparison.reply(covering, now, where);
}

function compareRemoved(
  comparison: ExchangeComparison,
  old: unknown,
  covering: unknown,
  status: string,
  where: string,
): void {
  if (isSuccess(status)) {
    comparison.report('reply status of success removed', where);
    return;
  }
  comparison.report('reply status of failure removed', where);
  if (covering !== undefined) comparison.reply(old, covering, where);
}

/** What is told of a status that is not declared by itself. */
function coveringReply(replies: Node, status: string): unknown {
  const range = `${status.slice(0, 1)}XX`;
  return replies[range] ?? replies['default'];
}

/** Anything but a failure: clients must know by the status what has been done. */
function isSuccess(status: string): boolean {
  return /^[123]/.test(status);
}
