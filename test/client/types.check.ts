import createClient from 'openapi-fetch';
import type { paths } from '../../generated/openapi.ts';
import type { paths as bedPaths } from '../contract/generated.ts';

/** What a client must not compile. `npm run check` looks at this file; nothing runs it. */
export async function mustNotCompile(): Promise<void> {
  const plants = createClient<paths>();
  // @ts-expect-error -- an id that is a number may have lost digits already
  await plants.POST('/plants', { body: { id: 1, name: 'x' } });
  // @ts-expect-error -- the name is missing
  await plants.POST('/plants', { body: { id: 1n } });
  // @ts-expect-error -- there is no such path
  await plants.POST('/plant', { body: { id: 1n, name: 'x' } });
  const { data } = await plants.POST('/plants', { body: { id: 1n, name: 'x' } });
  // @ts-expect-error -- a reply has no id
  console.log(data?.id);

  const beds = createClient<bedPaths>();
  const params = { path: { 'bed-id': 1n } };
  const bed = { secret: 'x', name: 'x', rows: 1n };
  // What has a default, and is not required, need not be sent.
  const { data: put } = await beds.PUT('/beds/{bed-id}', { params: { ...params, query: { page: 2 } }, body: bed });
  // @ts-expect-error -- what is writeOnly must be sent
  await beds.PUT('/beds/{bed-id}', { params, body: { name: 'x', rows: 1n } });
  // @ts-expect-error -- what is readOnly must not be sent
  await beds.PUT('/beds/{bed-id}', { params, body: { ...bed, id: 1n } });
  // @ts-expect-error -- the header is not a parameter
  await beds.PUT('/beds/{bed-id}', { params: { ...params, header: { Accept: 'x' } }, body: bed });
  // @ts-expect-error -- a required member with a default must be sent
  await beds.PUT('/beds/{bed-id}', { params, body: { secret: 'x', name: 'x' } });
  // @ts-expect-error -- what is writeOnly is not in a reply
  console.log(put?.id.toString(), put?.secret);
  // @ts-expect-error -- a reply may lack what has a default
  console.log(put?.size.toString());
  // A body that is not required
  await beds.DELETE('/beds/{bed-id}', { params });
}
