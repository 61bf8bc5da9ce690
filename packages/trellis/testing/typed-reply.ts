import {
  matching,
  type Position,
  readBasePath,
  readContractFile,
  readOpenApi,
  readOperations,
  replyFor,
} from 'trellis-contract';

interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}
export type TypeReply = (body: unknown, answered: Answered) => unknown;

/** @returns a function that gives a body, each integer of which is a bigint, the numbers that its operation returned */
export async function typingBy(contract: URL): Promise<TypeReply> {
  const document = readOpenApi(await readContractFile(contract, 'let the service name the file of its contract'));
  const basePath = readBasePath(document);
  const operations = readOperations(document).map((each) => ({ ...each, target: matching(basePath + each.path) }));
  return (body, { method, path, status }) => {
    const plain = path.replace(/\?.*/s, '');
    const operation = operations.find((each) => each.method === method && each.target.test(plain));
    return asTyped(body, operation && replyFor(operation.replies, status)?.content?.position);
  };
}

/** @param position undefined: no number there is an int64 */
function asTyped(value: unknown, position: Position | undefined): unknown {
  if (typeof value === 'bigint') {
    const number = position === undefined ? Number(value) : position.number(String(value));
    // An integer that no schema types, and that a number would round, stays exact.
    return number ?? value;
  }
  if (Array.isArray(value)) return value.map((each, index) => asTyped(each, position?.item(index)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, asTyped(each, position?.member(name))] as const);
  return Object.fromEntries(members);
}
