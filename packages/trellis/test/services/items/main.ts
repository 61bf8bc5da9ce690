import { run } from 'trellis';
import { items } from './service.ts';

await run(items);
