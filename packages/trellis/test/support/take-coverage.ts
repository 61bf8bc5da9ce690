import { takeCoverage } from 'node:v8';
import { afterAll } from '@jest/globals';

// Jest gives its workers half a second to exit. On a busy machine, that is too short for Node to write all coverage.
// Without NODE_V8_COVERAGE this does nothing.
afterAll(takeCoverage);
