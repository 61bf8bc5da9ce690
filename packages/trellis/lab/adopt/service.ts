import { pathToFileURL } from 'node:url';
import type { ContractOperation } from '../../../contract/src/message/operation.ts';
import { Refusal } from '../../../contract/src/refusal.ts';
import { loadContract } from '../../../contract/src/load.ts';
import { type AnySchema, type Method, type OpenApiDocument, resolver } from '../../../contract/src/schema/document.ts';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import { validateRequest } from '../../../contract/src/request.ts';
import type { AnyService } from '../../src/service.ts';
import { startOn } from '../../testing/index.ts';
import { judgeRequest } from '../../testing/derived/judge.ts';
import { judgeOf } from '../../test/support/judge.ts';
import { candidatesOf } from '../../../contract/tools/derivation/candidates.ts';
import { Derivation } from '../../../contract/tools/derivation/messages.ts';
import type { Keywords, Supply } from '../../../contract/tools/derivation/schemas.ts';

const SEED = 20_260_000;
/** How many derived messages of each operation are tested, evenly spread over all of them. */
const MAX_MESSAGES = 60;

/** A service of a contract whose operations have no code. */
export class Service {
  private readonly contract: string;
  private readonly document: OpenApiDocument;
  private readonly operations: readonly ContractOperation[];
  private readonly candidates: Supply;

  constructor(contract: string, document: OpenApiDocument, operations: readonly ContractOperation[]) {
    this.contract = contract;
    this.document = document;
    this.operations = operations;
    this.candidates = candidatesOf(document, SEED);
  }

  /** @throws Error if it does not start, or does not answer */
  async start(): Promise<void> {
    const isOwn = await loadContract(pathToFileURL(this.contract)).then(
      () => true,
      () => false,
    );
    const operations = Object.fromEntries(
      this.operations.map(({ id }) => [id, () => Promise.reject(new Error('no code'))] as const),
    );
    const service = {
      ...{ name: 'adopted', marker: 'xAdo', contract: pathToFileURL(this.contract) },
      ...{ tables: {}, steps: [], operations, records: {} },
      ...(!isOwn && { errorBody: this.errorBody() }),
    } as unknown as AnyService;
    await using instance = await startOn('SQLite', service, { LOG_LEVEL: 'silent' });
    const { status } = await fetch(new URL('/openapi.json', instance.url));
    if (status !== 200) throw new Error(`/openapi.json answers ${status}`);
  }

  /** A body that the contract allows, whatever has failed. */
  private errorBody() {
    const any = (schema: AnySchema) => this.candidates.valid([schema], 1)[0];
    const bodies = new Map<string, unknown>();
    for (const { id, replies } of this.operations)
      for (const [status, { content }] of replies) if (content) bodies.set(`${id} ${status}`, any(content.schema));
    const outside = this.document.components?.schemas?.['Error'];
    const elsewhere = outside === undefined ? {} : any(outside);
    return ({ status, operationId }: { status: number; operationId: string | undefined }) => {
      const range = `${Math.floor(status / 100)}XX`;
      const declared = [status, range, 'default'].find((each) => bodies.has(`${operationId ?? ''} ${each}`));
      return declared === undefined ? elsewhere : bodies.get(`${operationId ?? ''} ${declared}`);
    };
  }

  /** @throws Error if the service refuses an example, or judges a derived request otherwise than an independent judge */
  async tried(): Promise<string> {
    let [shown, valid, invalid] = [0, 0, 0];
    const derivation = new Derivation(this.document, { seed: SEED });
    for (const operation of this.operations) {
      for (const { mediaType, schema, messages } of derivation.ofRequests(operation)) {
        const judge = judgeRequest(await judgeOf(schema, derivation.requests.document));
        const step = Math.ceil(messages.length / MAX_MESSAGES) || 1;
        const some = messages.filter((_, index) => index % step === 0);
        for (const { parts, wire } of some) {
          // The service refuses a missing body before it validates the request.
          if (wire.body === undefined && operation.body?.required === true) continue;
          const isInvalid = judge(parts).length > 0;
          const isRefused = refuses(() => validateRequest(wire.sent, wire.body, operation));
          // The service refuses an integer that JavaScript would round where the schema gives no type; the judge accepts it.
          if (
            isRefused &&
            !isInvalid &&
            wire.body !== undefined &&
            'text' in wire.body &&
            /\d{16}/.test(wire.body.text)
          )
            continue;
          if (isInvalid !== isRefused)
            throw new Error(`${operation.id} ${isRefused ? 'refuses' : 'accepts'} ${exactJson(parts)}`);
          if (isInvalid) invalid++;
          else valid++;
        }
        const wire = some.find(({ parts }) => judge(parts).length === 0)?.wire;
        for (const value of mediaType === undefined || operation.body?.types.get(mediaType)?.kind !== 'json'
          ? []
          : this.examplesOf(operation, mediaType)) {
          if (value === undefined || wire === undefined || mediaType === undefined) continue;
          validateRequest(wire.sent, { mediaType, text: exactJson(value) }, operation);
          shown++;
        }
      }
    }
    return `${shown} examples and ${valid} derived requests accepted, ${invalid} refused`;
  }

  /** The examples that the contract has of the body of a request. */
  private examplesOf({ path, method }: ContractOperation, mediaType: string): unknown[] {
    const resolve = resolver(this.document);
    const { requestBody } = this.document.paths?.[path]?.[method.toLowerCase() as Method] ?? {};
    const { example, examples = {}, schema } = (requestBody && resolve(requestBody).content[mediaType]) ?? {};
    const whole: Keywords = typeof schema === 'object' ? resolve(schema) : {};
    return [example, ...Object.values(examples).map((each) => resolve(each).value), ...(whole.examples ?? [])];
  }
}

function refuses(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}
