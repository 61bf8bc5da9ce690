import { run } from '#framework';
import { items } from './service.ts';

await run(items);
