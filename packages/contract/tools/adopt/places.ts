import { ContractError } from '../../src/contract-error.ts';
import { type AnySchema, type Follow, follower, locationOf, type Schema } from '../../src/schema/document.ts';
import { applicator, HOLDING_KEYWORDS, schemasOf } from '../../src/schema/applicators.ts';
import { ELSEWHERE, innerPlace, OF_PARAMETER, type Place } from '../../src/validator/place.ts';
import { schemasOfMessages, type Tree } from './tree.ts';

/** A place of a message where a schema applies. */
interface Use extends Pick<Place, 'of' | 'isConditional'> {
  /** Whether the value there is a member or a parameter, also for a schema in its `allOf` and the like. */
  readonly isMember: boolean;
  readonly isRequest: boolean;
}

/** The places where each schema applies, as the validator sees them. */
function usesIn(document: Tree, follow: Follow): Map<Schema, Use[]> {
  const uses = new Map<Schema, Use[]>();
  /** The schemas that are still to be visited, in a list, as calls cannot nest as deeply as references may. */
  const pending: [AnySchema, Place, Omit<Use, 'of' | 'isConditional'>][] = [];
  const visit = (...next: (typeof pending)[number]) => pending.push(next);
  const enter = (schema: AnySchema, place: Place, use: Omit<Use, 'of' | 'isConditional'>): void => {
    if (typeof schema !== 'object') return;
    const { of, isConditional } = place;
    const known = uses.getOrInsertComputed(schema, () => []);
    const isSameUse = (each: Use) =>
      each.of === of &&
      each.isConditional === isConditional &&
      each.isMember === use.isMember &&
      each.isRequest === use.isRequest;
    if (known.some(isSameUse)) return;
    known.push({ of, isConditional, ...use });
    if (schema.$ref !== undefined) visit(follow(schema.$ref), place, use);
    for (const keyword of HOLDING_KEYWORDS) {
      const { to } = applicator(keyword) ?? {};
      const isMember = to === 'the value' ? use.isMember : to === 'a member';
      const held = schemasOf(schema, [keyword]);
      if (held.length === 0) continue;
      const [inner, used] = [innerPlace(place, keyword), { ...use, isMember }];
      for (const each of held) visit(each, inner, used);
    }
  };
  for (const { of, schema } of schemasOfMessages(document)) {
    const isMember = of === 'parameter';
    visit(schema, isMember ? OF_PARAMETER : ELSEWHERE, { isMember, isRequest: of !== 'reply' });
  }
  for (const next of pending) enter(...next);
  return uses;
}

/**
 * @returns the schemas whose default is not kept in every place of a request; `isSilent`: where the default has no
 * effect, as the value is no member and no parameter
 */
export function defaultsNotKept(
  document: Tree,
  follow: Follow,
): { readonly node: Schema; readonly isSilent: boolean }[] {
  return [...usesIn(document, follow)].flatMap(([node, uses]) => {
    const requests = uses.filter(({ isRequest }) => isRequest);
    const isKept = requests.every(({ of, isConditional }) => of !== 'another value' && !isConditional);
    if (node.default === undefined || isKept) return [];
    return [{ node, isSilent: requests.every(({ isMember, isConditional }) => !isMember && !isConditional) }];
  });
}

/** @returns the schemas that are readOnly or writeOnly, also where they are no member of an object */
export function marksNotKept(document: Tree, follow: Follow): Schema[] {
  return [...usesIn(document, follow)].flatMap(([node, uses]) => {
    const isMarked = node.readOnly === true || node.writeOnly === true;
    return isMarked && uses.some(({ of }) => of !== 'a member') ? [node] : [];
  });
}

/** The refusals of all defaults that are not kept: a compilation would tell only one for each operation. */
export function refusalsOfDefaults(document: Tree): ContractError[] {
  return defaultsNotKept(document, follower(document)).map(
    ({ node }) =>
      new ContractError(
        `only some requests would have the default ${String(node.default)}`,
        locationOf(node, 'default'),
      ),
  );
}
