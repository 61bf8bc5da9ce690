import { run } from '#framework';
import { bank } from './service/index.ts';

await run(bank);
