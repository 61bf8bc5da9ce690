/** What both sides of `Bed` are called, and what becomes of clients. */
export const SENT = 'POST /beds, request body, ';
export const RECEIVED = 'POST /beds, reply 200, body, ';
export const OK = 'compatible';
export const REFUSED = 'breaks clients: what they may send today is refused';
export const UNTOLD = 'breaks clients: they are sent what they were not told of';
export const MISSING = 'breaks clients: what they count on may be missing';
export const GONE = 'breaks clients: what they read is no longer sent';
export const UNCALLED = 'breaks clients: what they call is not there';
export const RENAMED = 'breaks clients: code generated from the contract calls it by its old name';
export const OMITTED = 'breaks clients: leaving it out means something else';
export const UNKNOWN = 'breaks clients: nobody has proven otherwise, as this cannot be judged here';

/** An edit of the contract, what the difference is called, and what it means there, and where it is taken back. */
export interface Case {
  readonly from: string;
  readonly to: string;
  readonly there: readonly string[];
  readonly back: readonly string[];
}

export function edit(from: string, to: string, there: readonly string[], back: readonly string[]): Case {
  return { from, to, there, back };
}
