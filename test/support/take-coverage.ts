import { takeCoverage } from 'node:v8';
import { afterAll } from '@jest/globals';

// Jest gives its workers half a second to exit. On a busy machine, Node cannot write the coverage of all files in that time.
// Without NODE_V8_COVERAGE this does nothing.
afterAll(takeCoverage);
