import createClient from 'openapi-fetch';
import type { paths } from './generated.ts';

/** Calls that must not compile. `npm run check` compiles this file; no test runs it. */
export async function mustNotCompile(): Promise<void> {
  const beds = createClient<paths>();
  const params = { path: { 'bed-id': 1n } };
  const bed = { secret: 'x', name: 'x', rows: 1n };
  // A member with a default that is not required need not be sent.
  const { data: put } = await beds.PUT('/beds/{bed-id}', { params: { ...params, query: { page: 2 } }, body: bed });
  // @ts-expect-error -- a required writeOnly member must be sent
  await beds.PUT('/beds/{bed-id}', { params, body: { name: 'x', rows: 1n } });
  // @ts-expect-error -- a readOnly member must not be sent
  await beds.PUT('/beds/{bed-id}', { params, body: { ...bed, id: 1n } });
  // @ts-expect-error -- the header Accept is not a parameter
  await beds.PUT('/beds/{bed-id}', { params: { ...params, header: { Accept: 'x' } }, body: bed });
  // @ts-expect-error -- a required member with a default must be sent
  await beds.PUT('/beds/{bed-id}', { params, body: { secret: 'x', name: 'x' } });
  // @ts-expect-error -- a reply has no writeOnly member
  console.log(put?.id.toString(), put?.secret);
  // @ts-expect-error -- a reply may lack a member with a default
  console.log(put?.size.toString());
  // The body is not required.
  await beds.DELETE('/beds/{bed-id}', { params });
}
