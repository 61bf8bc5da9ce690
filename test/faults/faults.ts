import { runSuite } from '../support/trials.ts';
import { FAULTS } from './scenarios.ts';

await runSuite(FAULTS);
