import { run } from '#framework';
import { items } from './index.ts';

await run(items);
