import { parentPort, workerData } from 'node:worker_threads';
import { ContractError, Refusal } from '../../src/contract/errors.ts';
import { ReplyError } from '../../src/contract/message/faults.ts';
import { parseJson } from '../../src/contract/message/json.ts';
import { validateRequest } from '../../src/contract/request.ts';
import { random } from '../../test/support/ledger.ts';
import { drawContract, type Drawn, hostileBodies, operationOf } from './drawn.ts';

// A thread with a small heap, which judges messages of one contract, or of many drawn ones.

/** `bodies` are sent to the contract `drawn`; without it, contracts and bodies are drawn from `seeds`. */
export interface Orders {
  readonly bytes: number;
  readonly seeds?: readonly number[];
  readonly drawn?: Drawn;
  readonly bodies?: readonly string[];
}
/** How many messages were judged, the processor time of the slowest verdict in milliseconds, and what it was about. */
export interface Verdicts {
  readonly judged: number;
  readonly slowest: number;
  readonly about: string;
  readonly refused: number;
}

const {
  bytes,
  seeds = [],
  drawn: given,
  bodies = [],
  slowMs,
} = workerData as Orders & {
  /** The processor time in milliseconds from which a verdict is measured again. */
  readonly slowMs: number;
};
const cases = given === undefined ? seeds.map(draw) : [{ name: 'the contract', drawn: given, texts: () => bodies }];
let [judged, slowest, about, refused] = [0, 0, '', 0];
for (const { name, drawn, texts } of cases) {
  const operation = await operationOf(drawn, bytes).catch((error: unknown) => {
    if (!(error instanceof ContractError)) throw error;
    refused++;
  });
  if (operation === undefined) continue;
  const sent = { path: '/items', query: '', headers: {} };
  for (const [index, text] of texts().entries()) {
    measure(`the request ${index} of ${name}`, () => {
      validateRequest(sent, { mediaType: 'application/json', text }, operation);
    });
    measure(`the reply ${index} of ${name}`, () => {
      operation.validator.reply(200, {}, parseJson(text, operation.replies.get('200')?.content?.position));
    });
  }
}
parentPort?.postMessage({ judged, slowest, about, refused } satisfies Verdicts);

function draw(seed: number): { name: string; drawn: Drawn; texts: () => readonly string[] } {
  const next = random(seed);
  const drawn = drawContract(next);
  return { name: `the contract of seed ${seed}`, drawn, texts: () => hostileBodies(drawn, bytes, next) };
}

/** Other processes share the machine, and V8 compiles: of slow ones, the quickest of three counts. */
function measure(what: string, judge: () => void): void {
  let least = Infinity;
  judged++;
  for (let round = 0; round < 3 && least > slowMs; round++) {
    const before = process.threadCpuUsage();
    try {
      judge();
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof ReplyError)) throw error;
    }
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  if (least > slowest) [slowest, about] = [least, what];
}
