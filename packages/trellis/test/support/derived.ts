import { type Derived, type DeriveOptions, derive as deriveOn } from '../../testing/derived/derive.ts';
import { type EngineName, ENGINES, startOn } from '../../testing/instance.ts';
import { judgeOf } from './judge.ts';
import { createPlace } from './place.ts';
import type { Program } from './service.ts';

export { ENGINES };

/** How much is sent, and the seed of all random choices. */
type Extent = Required<Pick<DeriveOptions, 'seed'>> & Pick<DeriveOptions, 'requests' | 'samples'>;

/** Derives requests from the contract of a service, whose answers a validator judges that shares no code with it. */
export async function derive(program: Program, engine: EngineName, extent: Extent): Promise<Derived> {
  const { service, conflict, related } = program;
  const { url, token } = await createPlace(engine, program);
  await using instance = await startOn(engine, service, { DATABASE_URL: url, LOG_LEVEL: 'silent' });
  const relate =
    related &&
    ((operation: string, body: Parameters<typeof related>[1]) =>
      related(operation, body, { url: instance.url, token }));
  return await deriveOn(instance, { conflict, judgeOf, ...extent, ...(relate && { related: relate }) });
}
