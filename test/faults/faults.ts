import { parseArgs } from 'node:util';
import { report } from './report.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, only: { type: 'string' } } });
void values;
void report;
void SCENARIOS;
