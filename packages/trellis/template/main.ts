import { run } from 'trellis';
import { service } from './service/index.ts';

await run(service);
