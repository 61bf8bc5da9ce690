import { resolver, type Security } from '../../src/schema/document.ts';
import { asked, type Choice, type Question } from './decisions.ts';
import { isFieldRefused, isOneScheme, isSecurity } from './reading.ts';
import { whyDangling } from './references.ts';
import { childOf, isNode, memberOf, type Tree, operationsIn, safely } from './tree.ts';

/** The name of the scheme that is declared where the document has none that the service keeps. */
const BEARER = 'bearerAuth';

/** The fields that may stand beside `$ref`. */
const BESIDE = ['$ref', 'summary', 'description'];

/** @param target what the `$ref` of the scheme leads to, or the scheme itself */
const isKept = (scheme: unknown, target: unknown) =>
  isNode(scheme) &&
  isNode(target) &&
  !Object.hasOwn(target, '$ref') &&
  (scheme === target || Object.keys(scheme).every((name) => BESIDE.includes(name))) &&
  Object.keys(target).every((name) => !isFieldRefused(target, 'Security Scheme', name));

export const SECURITY: Question = {
  key: 'security',
  ask: ({ document }) => {
    const schemes = memberOf(memberOf(document, 'components'), 'securitySchemes') ?? {};
    const resolve = resolver(document);
    const schemeOf = (name: string) => safely(() => resolve(schemes[name] as Tree)) ?? schemes[name];
    const holders = [{ node: document, where: 'security' }, ...operationsIn(document)].filter(({ node }) =>
      isSecurity(node['security']),
    );
    const lists = holders.map(({ node }) => node['security'] as Security);
    const named = [...new Set(lists.flat().flatMap(Object.keys))];
    const bad = Object.keys(schemes).filter((name) => !isKept(schemes[name], schemeOf(name)));
    // One that no operation names is left out without a question.
    const refused = bad.filter((name) => named.includes(name));
    if (refused.length === 0 && isOneScheme(document, operationsIn(document))) return undefined;

    const carriers = new Map(named.map((name) => [name, carrierOf(schemeOf(name))]));
    const choose = (chosen: string): Choice => ({
      name: chosen,
      means: meaningOf(chosen, Object.hasOwn(schemes, chosen), carriers),
      apply: () => {
        for (const name of refused) Reflect.deleteProperty(schemes, name);
        const own = childOf(childOf(document, 'components'), 'securitySchemes', schemes);
        if (!Object.hasOwn(own, chosen)) own[chosen] = { type: 'http', scheme: 'bearer' };
        for (const { node } of holders) node['security'] = collapsed(node['security'] as Security, chosen);
      },
    });
    const kept = Object.keys(schemes).filter((name) => !bad.includes(name));
    // The schemes that operations name come first.
    const choices = [...named.filter((name) => kept.includes(name)), ...kept, ...(kept.length === 0 ? [BEARER] : [])];
    const declared = (refused.length > 0 ? refused : named).map((name) => ({
      ...(Object.hasOwn(schemes, name) ? { node: schemes, member: name } : { node: document }),
      name: `${name} (${kindOf(schemeOf(name))})`,
    }));
    const demands = operationsIn(document).flatMap(({ node, method, path }) => {
      const holder = Object.hasOwn(node, 'security') ? node : document;
      const list = holder['security'];
      if (!isSecurity(list) || list.every((each) => Object.keys(each).length === 0)) return [];
      const isTogether = list.some((each) => Object.keys(each).length > 1);
      return [{ node: holder, member: 'security', name: `${method} ${path}: ${demandOf(list)}`, isTogether }];
    });
    const [together = [], others = []] = [true, false].map((is) => demands.filter((each) => each.isTogether === is));
    return asked(
      'security that needs more than tokens of one supported scheme',
      [...together, ...declared, ...others],
      ...new Set(choices).values().map(choose),
    );
  },
};

/** Such as `token and tenant, or basic`. */
function demandOf(list: Security): string {
  return list.map((each) => Object.keys(each).join(' and ') || 'none').join(', or ');
}

/** Where a request carries what a scheme demands; undefined: the document does not say. */
function carrierOf(scheme: unknown): string | undefined {
  if (!isNode(scheme)) return undefined;
  const { type, scheme: sort = '', in: place = '', name = '' } = scheme;
  if (type === 'apiKey') return `the ${String(place)} ${String(name)}`;
  if (type === 'mutualTLS') return 'the certificate of the client';
  const isToken = type === 'oauth2' || type === 'openIdConnect' || /^bearer$/i.test(String(sort));
  return type === 'http' || isToken ? `Authorization: ${isToken ? 'Bearer' : String(sort)}` : undefined;
}

/** @param carriers of the schemes that operations name */
function meaningOf(chosen: string, isDeclared: boolean, carriers: ReadonlyMap<string, string | undefined>): string {
  const own = carriers.get(chosen) ?? 'Authorization: Bearer';
  const gone = new Set(carriers.values().filter((each) => each !== undefined && each !== own));
  const means = `a token of ${chosen}${isDeclared ? '' : ', as Authorization: Bearer,'} opens what each of the schemes opens`;
  return gone.size === 0 ? means : `${means}, and the service no longer reads ${[...gone].join(', ')}`;
}

function kindOf(scheme: unknown): string {
  if (!isNode(scheme)) return 'not declared';
  if (typeof scheme['$ref'] === 'string') return `${scheme['$ref']}, ${whyDangling(scheme['$ref'])}`;
  return [scheme['type'], scheme['scheme'], scheme['in']].filter((each) => typeof each === 'string').join(', ');
}

/**
 * Keeps the alternatives that name the scheme, or the first if none does, each with the scopes of all of its schemes. An
 * empty alternative makes a token optional.
 */
function collapsed(list: Security, chosen: string): Security {
  const some = list.filter((each) => Object.keys(each).length > 0);
  const own = some.filter((each) => Object.hasOwn(each, chosen));
  const kept = own.length > 0 ? own : some.slice(0, 1);
  const scopes = kept.map((each) => [...new Set(Object.values(each).flat())]);
  return [...scopes.map((each) => ({ [chosen]: each })), ...list.filter((each) => Object.keys(each).length === 0)];
}
