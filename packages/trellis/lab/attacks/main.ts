import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from 'trellis';
import type { AnyService, Handler } from '../../src/service.ts';
import { itemOperations, items } from '../../test/services/items/service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

// The service of the items, with an operation that takes as many bytes as one may take.

const SCANS = `
  /scans:
    post:
      operationId: weighScan
      x-max-body-bytes: 16777216
      requestBody: { required: true, content: { application/octet-stream: {} } }
      responses:
        '204': { description: Weighed. }
        default: { $ref: '#/components/responses/Failure' }`;
const file = join(temporaryFolder(), 'openapi.yaml');
writeFileSync(file, readFileSync(items.contract, 'utf8').replace('\npaths:', `\npaths:${SCANS}`));

const weighScan: Handler = () => Promise.resolve({ status: 204 });
const service: AnyService = {
  ...items,
  contract: pathToFileURL(file),
  operations: { ...itemOperations, weighScan },
};
await run(service);
