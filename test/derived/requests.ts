import fc from 'fast-check';
import { type Declared, readOperations } from '../../src/contract/contract.ts';
import type { DeclaredOperation, Method, OpenApiDocument, Parameter, Resolve } from '../../src/contract/document.ts';
import { loadDocument } from '../../src/contract/load.ts';
import { ErrorNumber } from '../../src/contract/errors.ts';
import { breaks } from './invalid.ts';
import { type Json, Members, read, write } from './json.ts';
import { notJson } from './not-json.ts';
import { parameterBreaks, type Parameters, place, validParameters } from './parameters.ts';
import { type Judge, Judges, type Keywords } from './schemas.ts';
import { valid } from './valid.ts';

/** A request to be sent; shown, where it fails, as the text that was sent. */
export class DerivedRequest {
  readonly operation: Declared;
  readonly parameters: Parameters;
  /** undefined: there is no body. */
  readonly body: { readonly mediaType: string; readonly text: string } | undefined;

  constructor(operation: Declared, parameters: Parameters, body: DerivedRequest['body']) {
    this.operation = operation;
    this.parameters = parameters;
    this.body = body;
  }

  get place(): ReturnType<typeof place> {
    return place(this.operation.path, this.parameters);
  }

  [fc.toStringMethod](): string {
    const { target, headers } = this.place;
    const fields = Object.entries(headers).map(([name, text]) => `${name}: ${text}`);
    return [`${this.operation.method} ${target}`, ...fields, this.body?.text ?? '(no body)'].join('\n');
  }
}

/** A request that the contract allows, written in two ways. */
export interface ValidRequest {
  readonly request: DerivedRequest;
  readonly again: DerivedRequest;
  readonly body: Json;
}

/** Requests that break the contract in one way, and the number of the error that tells so. */
export interface InvalidRequests {
  readonly kind: string;
  readonly requests: fc.Arbitrary<{ readonly request: DerivedRequest; readonly number: ErrorNumber }>;
}

/** What can be derived from a contract. */
export class Derivation {
  readonly operations: readonly Declared[];
  readonly document: OpenApiDocument;
  readonly resolve: Resolve;
  private readonly judges: Judges;

  constructor(yaml: string) {
    const { document, resolve } = loadDocument(yaml);
    this.operations = readOperations(document);
    this.document = document;
    this.resolve = resolve;
    this.judges = new Judges(document);
  }

  judgeOf = (schema: Keywords): Judge => this.judges.of(schema);

  declared({ path, method }: Declared): DeclaredOperation {
    const item = this.document.paths?.[path];
    return item?.[method.toLowerCase() as Method] ?? {};
  }

  /** The schema of a body that an operation answers, by the status; undefined if it answers none. */
  replySchema(operation: Declared, status: number): Keywords | undefined {
    const { responses = {} } = this.declared(operation);
    const reply = responses[String(status)] ?? responses['default'];
    if (reply === undefined) throw new Error(`the contract has no ${status} for ${operation.id}`);
    return Object.values(this.resolve(reply).content ?? {})[0]?.schema;
  }

  private parametersOf(operation: Declared): Parameter[] {
    const shared = this.document.paths?.[operation.path]?.parameters ?? [];
    const own = this.declared(operation).parameters ?? [];
    const all = [...shared, ...own].map((each) => this.resolve(each));
    return [...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values()];
  }

  /** The media types of the bodies of an operation. */
  bodiesOf(operation: Declared): { readonly mediaType: string; readonly schema: Keywords }[] {
    const { requestBody } = this.declared(operation);
    const content = requestBody === undefined ? {} : this.resolve(requestBody).content;
    return Object.entries(content).map(([mediaType, { schema = {} }]) => ({ mediaType, schema }));
  }

  valid(operation: Declared): fc.Arbitrary<ValidRequest> {
    const bodies = this.bodiesOf(operation).map(({ mediaType, schema }) => {
      const judge = this.judgeOf(schema);
      const values = valid(schema, this.resolve).filter((value) => judge(read(write(value))) === true);
      return fc.record({ mediaType: fc.constant(mediaType), value: values });
    });
    const body = bodies.length === 0 ? fc.constant(undefined) : fc.oneof(...bodies);
    const parameters = validParameters(this.parametersOf(operation), this.resolve);
    return fc.tuple(parameters, body, SPELLING, SPELLING).map(([sent, written, ...spellings]) => {
      const [request, again] = spellings.map((spelling) => {
        const text = written && { mediaType: written.mediaType, text: write(written.value, spelling) };
        return new DerivedRequest(operation, sent, text);
      }) as [DerivedRequest, DerivedRequest];
      return {
        request,
        again,
        body: written?.value ?? null,
        [fc.toStringMethod]: () => fc.stringify([request, again]),
      };
    });
  }

  /** One entry for each fault that a request to the operation can have. */
  invalid(operation: Declared): InvalidRequests[] {
    const parameters = parameterBreaks(this.parametersOf(operation), this.resolve, this.judgeOf);
    const ofParameters = parameters.map(({ kind, apply }) => ({
      kind,
      requests: fc
        .tuple(this.valid(operation), apply)
        .map(([{ request }, change]) =>
          refused(new DerivedRequest(operation, change(request.parameters), request.body), ErrorNumber.contractBroken),
        ),
    }));
    const ofBodies = this.bodiesOf(operation).flatMap((body) => this.invalidBodies(operation, body));
    return [...ofParameters, ...ofBodies];
  }

  private invalidBodies(
    operation: Declared,
    { mediaType, schema }: { readonly mediaType: string; readonly schema: Keywords },
  ): InvalidRequests[] {
    const parameters = validParameters(this.parametersOf(operation), this.resolve);
    const withText = (kind: string, texts: fc.Arbitrary<{ text: string; number: ErrorNumber }>) => ({
      kind,
      requests: fc.tuple(parameters, texts).map(([sent, { text, number }]) => {
        const body = text === '' ? undefined : { mediaType, text };
        return refused(new DerivedRequest(operation, sent, body), number);
      }),
    });
    const values = valid(schema, this.resolve);
    const judge = this.judgeOf(schema);
    const broken = (applied: fc.Arbitrary<readonly ((value: Json) => Json)[]>) =>
      fc.tuple(values, applied, SPELLING).map(([value, changes, spelling]) => {
        const result = changes.reduce((changed, change) => change(changed), value);
        const number = repeats(result) ? ErrorNumber.memberRepeated : ErrorNumber.contractBroken;
        return { text: write(result, spelling), number };
      });
    const isInvalid = ({ text, number }: { text: string; number: ErrorNumber }) =>
      number === ErrorNumber.memberRepeated || judge(read(text)) !== true;
    const all = breaks(schema, this.resolve);
    const any = fc.oneof(...all.map(({ apply }) => apply));
    const faults = [
      ...all.map(({ kind, apply }) => ({ kind, texts: broken(apply.map((change) => [change])) })),
      { kind: 'several faults', texts: broken(fc.array(any, { minLength: 2, maxLength: 4 })) },
    ];
    const texts = fc.tuple(values, SPELLING).map(([value, spelling]) => write(value, spelling));
    const required = operation.body?.required === true;
    return [
      // What one alternative of a schema forbids, another may allow in every case.
      ...faults
        .filter((fault) => fc.sample(fault.texts, 50).some(isInvalid))
        .map((fault) => withText(fault.kind, fault.texts.filter(isInvalid))),
      withText(
        'not JSON',
        notJson(texts).map((text) => ({ text, number: ErrorNumber.bodyNotJson })),
      ),
      ...(required ? [withText('no body', fc.constant({ text: '', number: ErrorNumber.bodyMissing }))] : []),
    ];
  }
}

const SPELLING = fc.array(fc.nat(59), { maxLength: 20 });

function refused(request: DerivedRequest, number: ErrorNumber) {
  return { request, number, [fc.toStringMethod]: () => fc.stringify(request) };
}

function repeats(value: Json): boolean {
  if (value instanceof Members) {
    const names = value.list.map(([name]) => name);
    return new Set(names).size < names.length || value.list.some(([, each]) => repeats(each));
  }
  return Array.isArray(value) && (value as readonly Json[]).some(repeats);
}
