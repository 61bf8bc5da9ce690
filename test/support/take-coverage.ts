import { takeCoverage } from 'node:v8';
import { afterAll } from '@jest/globals';

// Jest gives its workers half a second to exit, in which Node cannot write, on a busy machine, what all files have covered.
// Without a coverage to take this does nothing.
afterAll(takeCoverage);
