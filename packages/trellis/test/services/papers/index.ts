import { bytes, entityTag, type Reply, type Request, type Service, type Steps, table, text, type Tools } from 'trellis';
import { errors, type ErrorNumber, type operations } from './generated/openapi.ts';

const tables = {
  papers: table({ id: text(), mediaType: text<'application/pdf' | 'image/png'>(), content: bytes() }, 'id'),
  notes: table({ id: text(), text: text() }, 'id'),
};
const steps: Steps = {
  papers1: ({ schema, type }) => [
    schema
      .createTable('papers')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('mediaType', type.text, (column) => column.notNull())
      .addColumn('content', type.bytes, (column) => column.notNull()),
    schema
      .createTable('notes')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('text', type.text, (column) => column.notNull()),
  ],
};
type Own = Tools<typeof tables>;

async function putPaper(
  { path, body, contentType }: Request<operations, 'putPaper'>,
  { create }: Own,
): Promise<Reply<operations, 'putPaper'>> {
  const creation = await create('papers', { ...path, mediaType: contentType, content: body });
  if (creation === 'conflict') return { status: 409, body: errors[40901] };
  return { status: 201, body: { ...path, mediaType: contentType, size: body.length } };
}

async function getPaper(
  { path }: Request<operations, 'getPaper'>,
  { get }: Own,
): Promise<Reply<operations, 'getPaper'>> {
  const paper = await get('papers', path);
  if (paper === undefined) return { status: 404, body: errors[40401] };
  return { status: 200, headers: { ETag: entityTag(paper.content.length) }, body: paper.content };
}

async function putScan(
  { path, body = new Uint8Array() }: Request<operations, 'putScan'>,
  { create }: Own,
): Promise<Reply<operations, 'putScan'>> {
  const mediaType = 'image/png';
  await create('papers', { ...path, mediaType, content: body });
  return { status: 200, body: { ...path, mediaType, size: body.length } };
}

async function getScan({ path }: Request<operations, 'getScan'>, { get }: Own): Promise<Reply<operations, 'getScan'>> {
  const paper = await get('papers', path);
  return paper === undefined ? { status: 404, body: errors[40401] } : { status: 200, body: paper.content };
}

async function putNote(
  request: Request<operations, 'putNote'>,
  { create }: Own,
): Promise<Reply<operations, 'putNote'>> {
  const words = request.contentType === 'text/plain' ? request.body : request.body.text;
  const creation = await create('notes', { ...request.path, text: words });
  return creation === 'conflict' ? { status: 409, body: errors[40901] } : { status: 200, body: words };
}

async function getNote({ path }: Request<operations, 'getNote'>, { get }: Own): Promise<Reply<operations, 'getNote'>> {
  const note = await get('notes', path);
  return note === undefined ? { status: 404, body: errors[40401] } : { status: 200, body: note.text };
}

async function showNote(
  { path }: Request<operations, 'showNote'>,
  { get }: Own,
): Promise<Reply<operations, 'showNote'>> {
  const note = await get('notes', path);
  if (note === undefined) return { status: 404, body: errors[40401] };
  return { status: 200, headers: { 'Content-Security-Policy': "script-src 'self'" }, body: note.text };
}

async function listNotes(
  _: Request<operations, 'listNotes'>,
  { database }: Own,
): Promise<Reply<operations, 'listNotes'>> {
  const notes = await database.selectFrom('notes').selectAll().orderBy('id').limit(1000).execute();
  return {
    status: 200,
    body: notes.map(({ id, text: words }) => `${id},"${words.replaceAll('"', '""')}"\r\n`).join(''),
  };
}

function getZeros({
  query: { count, broken },
}: Request<operations, 'getZeros'>): Promise<Reply<operations, 'getZeros'>> {
  const zeros = broken === 'long' ? Buffer.alloc(count) : new Uint8Array(count);
  // What an operation does with its reply later is not sent.
  if (broken === 'later') queueMicrotask(() => setImmediate(() => zeros.fill(1)));
  const body: unknown = broken === 'string' ? 'zeros' : zeros;
  return Promise.resolve({ status: 200, body: body as Uint8Array });
}

/** A service whose bodies are texts and bytes. */
export const service = {
  name: 'papers',
  marker: 'papr',
  contract: new URL('openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: { putPaper, getPaper, putScan, getScan, putNote, getNote, showNote, listNotes, getZeros },
  records: {},
} satisfies Service<operations, typeof tables, ErrorNumber>;
