import { run } from 'trellis';
import { bank } from './service/index.ts';

await run(bank);
