import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi.ts';

/** Calls that must not compile. `npm run check` compiles this file; no test runs it. */
export async function mustNotCompile(): Promise<void> {
  const plants = createClient<paths>();
  // @ts-expect-error -- an id that is a number may have lost digits already
  await plants.POST('/plants', { body: { id: 1, name: 'x' } });
  // @ts-expect-error -- the name is missing
  await plants.POST('/plants', { body: { id: 1n } });
  // @ts-expect-error -- the contract has no such path
  await plants.POST('/plant', { body: { id: 1n, name: 'x' } });
  const { data } = await plants.POST('/plants', { body: { id: 1n, name: 'x' } });
  // @ts-expect-error -- a reply has no id
  console.log(data?.id);
}
