import { run } from '#framework';
import { service } from './service/index.ts';

await run(service);
