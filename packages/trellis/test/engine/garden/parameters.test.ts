import { describe, expect, test } from '@jest/globals';
import { startGarden } from '../../services/garden/garden.ts';

const { seen, call } = await startGarden();
const BIG = '9007199254740993';
const DEFAULTS = { limit: 20, season: 'spring' };
/** Node sends header values as Latin-1. The result makes it send the UTF-8 bytes of `text`. */
const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const PLOT = '/plots/a/1/spring/1/from,1/from=1';

describe('queries', () => {
  test.each<[query: string, understood: object]>([
    ['', {}],
    ['?', {}],
    ['?limit=100', { limit: 100 }],
    ['?limit=5.0', { limit: 5 }],
    ['?limit=5e0', { limit: 5 }],
    ['?share=0.5', { share: 0.5 }],
    ['?share=1e-400', { share: 0 }],
    [`?after=${BIG}`, { after: 9007199254740993n }],
    ['?after=-9223372036854775808', { after: -9223372036854775808n }],
    ['?open=true', { open: true }],
    ['?open=false', { open: false }],
    ['?name=', { name: '' }],
    ['?name', { name: '' }],
    ['?name=a+b%2Bc%20d', { name: 'a b+c d' }],
    ["?name=it's:/?@!$()*;=", { name: "it's:/?@!$()*;=" }],
    ['?name=%F0%9F%8C%B1', { name: '🌱' }],
    ['?n%61me=x', { name: 'x' }],
    ['?since=2026-02-28T10:00:00%2B01:00', { since: '2026-02-28T10:00:00+01:00' }],
    ['?since=2026-02-28T10:00:00.5Z', { since: '2026-02-28T10:00:00.5Z' }],
    ["?place=a/b?c:d@e!$'(),;*", { place: "a/b?c:d@e!$'(),;*" }],
    ['?season=autumn', { season: 'autumn' }],
    ['?size=5', { size: 5 }],
    ['?size=large', { size: 'large' }],
    ['?tag=a', { tag: ['a'] }],
    ['?tag=a,b&tag=c%2Cd', { tag: ['a,b', 'c,d'] }],
    [`?id=${BIG}&id=1`, { id: [9007199254740993n, 1n] }],
    ['?seasons=spring,summer', { seasons: ['spring', 'summer'] }],
    ['?words=a%2Cb,c+d', { words: ['a,b', 'c d'] }],
    ['?box=from,1,to,2.5,in,a%2Cb', { box: { from: 1n, to: 2.5, in: 'a,b' } }],
    [`?east=${BIG}&north=1`, { corner: { north: 1, east: 9007199254740993n } }],
    [`?filter[by]=x&filter[exact]=${BIG}`, { filter: { by: 'x', exact: 9007199254740993n, dry: false } }],
    ['?filter%5Bby%5D=&filter[depth]=3&filter[dry]=true', { filter: { by: '', depth: 3, dry: true } }],
  ])('the service reads the query %s', async (query, understood) => {
    const { text } = await call('GET', `/beds${query}`);
    expect([text, seen[0]?.query]).toEqual([expect.stringMatching(/^\[/), { ...DEFAULTS, ...understood }]);
  });
});

describe('queries that break the contract', () => {
  test.each([
    // Numbers have the syntax of JSON.
    ['?limit=Infinity', 'query.limit must be an integer'],
    ['?limit=1e400', 'query.limit '],
    ['?limit=0x5', 'query.limit must be an integer'],
    ['?limit=%205', 'query.limit must be an integer'],
    ['?limit=5+', 'query.limit must be an integer'],
    ['?limit=%2B5', 'query.limit must be an integer'],
    ['?limit=05', 'query.limit must be an integer'],
    ['?limit=1_0', 'query.limit must be an integer'],
    ['?limit=', 'query.limit must be an integer'],
    ['?limit=1.5', 'query.limit must be an integer'],
    ['?limit=101', 'query.limit must be at most 100'],
    ['?limit=0', 'query.limit must be at least 1'],
    ['?limit=1&limit=2', 'query.limit is given twice'],
    ['?share=NaN', 'query.share must be a number'],
    ['?share=1e400', 'query.share '],
    ['?share=1', 'query.share '],
    ['?after=9223372036854775808', 'query.after must be an integer from -9223372036854775808 to 9223372036854775807'],
    ['?open=1', 'query.open must be a boolean'],
    ['?open=TRUE', 'query.open must be a boolean'],
    ['?name=%FF', 'query'],
    ['?name=%zz', 'query'],
    ['?name=a&name=b', 'query.name is given twice'],
    ['?name=123456789012345678901', 'query.name must not have more than 20 characters'],
    ['?since=2026-13-01T00:00:00Z', 'query.since must match format'],
    ['?since=2026-02-30T00:00:00Z', 'query.since must match format'],
    ['?since=2026-02-28T10:00:00+01:00', '(a + is a space in a query: send + as %2B)'],
    ['?season=winter', 'query.season must be equal to one of the allowed values: spring, summer, autumn'],
    ['?size=small', 'query.size '],
    ['?tag=a&tag=a', 'query.tag '],
    ['?tag=a&tag=b&tag=c&tag=d', 'query.tag must not have more than 3 items'],
    ['?tag[x]=1', 'query.tag[x] is not allowed'],
    ['?id=1&id=x', 'query.id.1 must be an integer'],
    ['?id=x&id=1', 'query.id.0 must be an integer'],
    ['?seasons=spring,winter', 'query.seasons.1 '],
    ['?seasons=spring&seasons=summer', 'query.seasons is given twice'],
    ['?box=from,1&box=to,2', 'query.box is given twice'],
    ['?north=1&north=2', 'query.corner.north is given twice'],
    ['?seasons[x]=1', 'query.seasons[x] is not allowed'],
    ['?box=from', 'query.box '],
    ['?box=to,1', 'query.box.from is required'],
    ['?box=from,1,from,2', 'query.box'],
    ['?box=from,1,depth,2', 'query.box.depth is not allowed'],
    ['?north=x', 'query.corner.north must be an integer'],
    ['?filter[depth]=1', 'query.filter.by is required'],
    ['?filter[by]=x&filter[depth]=11', 'query.filter.depth must be at most 10'],
    ['?filter[by]=x&filter[by]=y', 'query.filter.by is given twice'],
    ['?filter[by]=x&filter[constructor]=y', 'constructor'],
    ['?filter[by]=x&filter[__proto__]=y', '__proto__'],
    ['?filter[by][x]=1', 'query.filter[by][x] is not allowed'],
    ['?filter=x', 'query.filter'],
    ['?filter[]=x', 'query.filter'],
    ['?colour=red', 'query.colour is not allowed'],
    ['?__proto__=x', 'query.__proto__ is not allowed'],
    ['?constructor=x', 'query.constructor is not allowed'],
    ['?[limit]=1', 'query.[limit] is not allowed'],
    ['?limit[=1', 'query.limit[ is not allowed'],
    ['?a%5b=', 'query.a[ is not allowed'],
  ])('a query that breaks the contract gets 400, which names the parameter: %s', async (query, message) => {
    const { status, text } = await call('GET', `/beds${query}`);
    expect([status, text, seen]).toEqual([400, expect.stringContaining(message), []]);
  });
});

describe('paths', () => {
  const understood = { name: 'a', row: 1, season: 'spring', spans: [1n], box: { from: 1n }, edges: { from: 1n } };
  test.each<[path: string, understood: object]>([
    [PLOT, {}],
    [PLOT.replace('/a/', "/a%2Fb+c'/"), { name: "a/b+c'" }],
    [PLOT.replace('/a/', '/%F0%9F%8C%B1/'), { name: '🌱' }],
    [PLOT.replace('/1/spring', '/1e2/summer'), { row: 100, season: 'summer' }],
    [
      PLOT.replace('/1/from,1', `/${BIG},2/from,${BIG},in,a%2Cb`),
      {
        spans: [9007199254740993n, 2n],
        box: { from: 9007199254740993n, in: 'a,b' },
      },
    ],
    [PLOT.replace('from=1', 'in=a%3Db,from=1,to=0.5'), { edges: { from: 1n, in: 'a=b', to: 0.5 } }],
  ])('the service reads the path %s', async (path, others) => {
    const { status } = await call('GET', path);
    expect([status, seen[0]?.path]).toEqual([204, { ...understood, ...others }]);
  });

  test('the service reads the path by the parameters of the operation, which override those of the Path Item', async () => {
    await call('GET', `/beds/${BIG}`, { headers: { 'X-Count': '1e3' } });
    expect(seen).toMatchObject([
      { path: { 'bed-id': 9007199254740993n }, query: { limit: 20n }, header: { 'X-Count': 1000n }, body: undefined },
    ]);
    expect((await call('DELETE', '/beds/1?limit=20')).status).toBe(400);
  });
});

describe('paths that break the contract', () => {
  test.each([
    [PLOT.replace('/a/', '/1234567890/'), 'path.name must not have more than 9 characters'],
    [PLOT.replace('/1/spring', '/Infinity/spring'), 'path.row must be an integer'],
    [PLOT.replace('/1/spring', '/%201/spring'), 'path.row must be an integer'],
    [PLOT.replace('/1/spring', '/101/spring'), 'path.row must be at most 100'],
    [PLOT.replace('spring', 'winter'), 'path.season '],
    [PLOT.replace('/1/from,1', '/1,x/from,1'), 'path.spans.1 must be an integer'],
    [PLOT.replace('from,1', 'from'), 'path.box '],
    [PLOT.replace('from,1', 'to,1'), 'path.box.from is required'],
    [PLOT.replace('from=1', 'from=x'), 'path.edges.from must be an integer'],
    [PLOT.replace('/a/', '/%FF/'), 'path'],
    ['/beds/9223372036854775808', 'path.bed-id must be an integer from -9223372036854775808 to 9223372036854775807'],
    ['/beds/1.5', 'path.bed-id must be an integer'],
  ])('a path that breaks the contract gets 400, which names the parameter: %s', async (path, message) => {
    const { status, text } = await call('GET', path);
    expect([status, text, seen]).toEqual([400, expect.stringContaining(message), []]);
  });
});

describe('header fields', () => {
  test.each<[headers: Readonly<Record<string, string>>, understood: object]>([
    [{}, {}],
    // OpenAPI ignores parameters with these names.
    [{ 'Content-Type': 'text/plain', Accept: 'image/png' }, {}],
    [{ 'X-Stations': `${BIG}, 2,3` }, { 'X-Stations': [9007199254740993n, 2n, 3n] }],
    [{ 'X-Since': '-1e3' }, { 'X-Since': -1000n }],
    [{ 'X-Wind': 'false' }, { 'X-Wind': false }],
    [{ 'X-Note': ' a b ' }, { 'X-Note': 'a b' }],
    [{ 'X-Note': '' }, { 'X-Note': '' }],
    [{ 'X-Note': latin1('é à🌱') }, { 'X-Note': 'é à🌱' }],
    [{ 'X-Box': latin1('from,1,in,à ,to,1') }, { 'X-Box': { from: 1n, in: 'à', to: 1 } }],
    [{ 'x-note': 'a%20b+' }, { 'X-Note': 'a%20b+' }],
    [{ 'X-Box': 'from,1,in,x' }, { 'X-Box': { from: 1n, in: 'x' } }],
    [{ 'X-Edges': 'from=1,to=2' }, { 'X-Edges': { from: 1n, to: 2 } }],
    [{ 'X-Unit': 'imperial' }, { 'X-Unit': 'imperial' }],
  ])('the service reads the header fields %j', async (headers, understood) => {
    const { status } = await call('GET', '/weather', { headers });
    expect([status, seen[0]?.header]).toEqual([204, { 'X-Unit': 'metric', ...understood }]);
  });
});

describe('header fields that break the contract', () => {
  test.each([
    ['X-Stations', '1,x', 'X-Stations.1 must be an integer'],
    ['X-Since', '9223372036854775808', 'X-Since must be an integer from'],
    ['X-Since', '0x5', 'X-Since must be an integer'],
    ['X-Wind', 'yes', 'X-Wind must be a boolean'],
    ['X-Note', 'é', 'X-Note is not UTF-8'],
    ['X-Note', '1234567890', 'X-Note must not have more than 9 characters'],
    ['X-Box', 'to,1', 'X-Box.from is required'],
    ['X-Edges', 'from,1', 'X-Edges'],
    ['X-Unit', '', 'X-Unit must be equal to one of the allowed values: metric, imperial'],
  ])('a header field that breaks the contract gets 400, which names it: %s: %s', async (name, value, message) => {
    const { status, text } = await call('GET', '/weather', { headers: { [name]: value } });
    expect([status, text, seen]).toEqual([400, expect.stringMatching(new RegExp(`header[. ]${message}`, 'i')), []]);
  });
});
