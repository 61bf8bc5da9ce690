import { stripTypeScriptTypes } from 'node:module';

/** Jest's transform for TypeScript. */
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
