/**
 * Lines that must not compile. `tsc` (part of `npm run check`, and of a test) fails where one of them does: an
 * expectation of an error that does not come is an error itself.
 */
import type { Operations, Reply, Request } from '../../src/contract/types.ts';
import type { Services } from '../../src/operations/services.ts';

type R = Reply<'createPlant'>;
const createPlant = (): Promise<R> => Promise.resolve({ status: 200, body: { name: 'x' } });

// What does compile:
export const replies: R[] = [
  { status: 200, body: { name: 'x' } },
  { status: 200, headers: { 'Idempotent-Replayed': true }, body: { name: 'x', tag: 'y' } },
  { status: 400, body: { error: 1, message: 'm' } },
  { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: { error: 1, message: 'm' } },
];

// @ts-expect-error -- a handler is missing
export const missing = {} satisfies Operations<Services>;
// @ts-expect-error -- a handler is too many
export const surplus = { createPlant, mowLawn: createPlant } satisfies Operations<Services>;
// @ts-expect-error -- a handler is misnamed
export const misnamed = { createPlants: createPlant } satisfies Operations<Services>;

// @ts-expect-error -- the status is not declared
export const undeclaredStatus: R = { status: 418, body: { error: 1, message: 'm' } };
// @ts-expect-error -- the status falls under `default`, which is not for operations
export const defaultStatus: R = { status: 503, body: { error: 1, message: 'm' } };
// @ts-expect-error -- the body is that of another status
export const errorUnder200: R = { status: 200, body: { error: 1, message: 'm' } };
// @ts-expect-error -- a field is not declared
export const undeclaredField: R = { status: 200, body: { name: 'x', id: 1n } };
// @ts-expect-error -- a field is missing
export const missingField: R = { status: 200, body: { tag: 'x' } };
// @ts-expect-error -- a field has another type
export const wrongField: R = { status: 200, body: { name: 1 } };
// @ts-expect-error -- the body is missing
export const missingBody: R = { status: 200 };
// @ts-expect-error -- the header is misspelt
export const misspelt: R = { status: 200, headers: { 'Idempotent-Replay': true }, body: { name: 'x' } };
// @ts-expect-error -- the header has another type
export const wrongHeader: R = { status: 200, headers: { 'Idempotent-Replayed': 1 }, body: { name: 'x' } };
// @ts-expect-error -- the header is required
export const missingHeader: R = { status: 401, body: { error: 1, message: 'm' } };

export async function inAsyncFunction(_request: Request<'createPlant'>): Promise<R> {
  await Promise.resolve();
  // @ts-expect-error -- a field is not declared
  return { status: 200, body: { name: 'x', colour: 'red' } };
}

export function readsRequest({ body, path, query }: Request<'createPlant'>): unknown[] {
  // @ts-expect-error -- the request has no such field
  const colour: unknown = body.colour;
  // @ts-expect-error -- a tag may be missing
  const tag: string = body.tag;
  // @ts-expect-error -- the operation has no such parameter
  const id: string = path.id;
  // @ts-expect-error -- the operation has no such parameter
  const limit: bigint = query.limit;
  // @ts-expect-error -- an int64 is no number
  const rounded: number = body.id;
  return [colour, tag, id, limit, rounded];
}
