import { parse, stringify } from 'yaml';
import { Answers } from '../../tools/adopt/answers.ts';
import { sourceOf } from '../../tools/adopt/read.ts';
import { questionLines, madeIn, openIn } from '../../tools/adopt/report.ts';
import { Adoption } from '../../tools/adopt/work.ts';

export interface Data {
  [name: string]: Data;
}

const SMALL = `
openapi: 3.0.3
info: { title: Books, version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ token: [] }]
paths:
  /books:
    post:
      operationId: addBook
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
      responses:
        '201': { description: Added, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
        default: { $ref: '#/components/responses/Failed' }
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  responses:
    Failed: { description: Failed, content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  schemas:
    Error: { type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } }
    Book: { type: object, required: [title], properties: { title: { type: string } } }
`;

/** A small document that needs no edit but its version. @param value replaces that at the path; undefined removes it */
export function documentWith(path: readonly string[], value: unknown, version = '3.0.3'): string {
  const document = parse(SMALL) as Data;
  Object.assign(document, { openapi: version });
  const holder = path.slice(0, -1).reduce((node, name) => {
    node[name] ??= {};
    return node[name];
  }, document);
  const last = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else Object.assign(holder, { [last]: value });
  return stringify(document);
}

/** What `adopt` makes of a text. @param answers the text of a file of decisions */
export function adopted(yaml: string, answers = '') {
  const { document, text } = sourceOf(yaml);
  const given = new Answers('decisions.yaml', answers, 'books.yaml');
  const work = new Adoption(document, given);
  const { edits, refusals } = work;
  const open = openIn(work);
  for (const each of open) given.add(each.key, questionLines(each));
  const written = text.of(document);
  return {
    edits: [...edits.keys()],
    places: [...edits.values()].flat(),
    /** The edits for which the author may choose something else, without the one of `servers`, which each document has. */
    made: madeIn(work)
      .filter(({ key }) => key !== 'servers')
      .map((each) => questionLines(each).join('\n  ')),
    open: open.map((each) => questionLines(each).join('\n  ')),
    refusals,
    asked: given.text,
    text: written,
    document: parse(written) as Data,
  };
}

export function at(document: Data, path: readonly string[]): unknown {
  return path.reduce<Data | undefined>((node, name) => node?.[name], document);
}
