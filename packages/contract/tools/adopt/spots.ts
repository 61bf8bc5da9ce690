import { locationOf } from '../../src/schema/document.ts';
import { isLarge } from '../../src/schema/exact.ts';
import { isNode, memberOf, type Tree, operationsIn } from './tree.ts';

/** A place of the document. */
export interface Spot {
  readonly node: object;
  readonly member?: string;
  /** What stands there, in the words of the report. */
  readonly name?: string;
  /** The place and what stands there, if a refusal says it. */
  readonly told?: string;
}

const MAX_OPERATIONS = 3;
const COMPONENT = /^#\/components\/[^/]+\/[^/]+/;

/** Tells the places of a document, each with the operations that it is a part of. */
export class PlaceList {
  /** The unit that each object and each list is a part of: an operation, a path, or a component. */
  private readonly units = new Map<object, string>();
  private readonly operations = new Set<string>();
  private readonly users = new Map<string, Set<string>>();
  private readonly known = new Map<string, string>();

  constructor(document: Tree) {
    for (const { node, item, method, path } of operationsIn(document)) {
      const [operation, around] = [`${method} ${path}`, `path ${path}`];
      this.operations.add(operation);
      this.enter(node, operation);
      this.use(operation, around);
      // What the operations of the path share.
      this.enter(item['parameters'], around);
    }
    for (const [section, parts] of Object.entries(memberOf(document, 'components') ?? {}))
      for (const [name, part] of Object.entries(isNode(parts) ? parts : {}))
        this.enter(part, `#/components/${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }

  /** Such as `openapi.yaml:12:9 minimum (get /books, post /books)`. */
  tell({ node, member, name, told }: Spot): string {
    const text = told ?? [locationOf(node, member), name].filter((each) => each !== undefined).join(' ');
    const unit = this.units.get(node);
    if (unit === undefined) return text;
    const users = this.known.getOrInsertComputed(unit, () => this.usersOf(unit));
    // Some places are named by their operation.
    return users === '' || text.includes(users) ? text : `${text} (${users})`;
  }

  /** Without recursion, as aliases of YAML may nest beyond the depth of the stack. */
  private enter(root: unknown, unit: string): void {
    const pending = [root];
    for (const part of pending) {
      if (!isLarge(part)) continue;
      const other = this.units.get(part);
      if (other !== undefined) {
        this.use(unit, other);
        continue;
      }
      this.units.set(part, unit);
      const { $ref } = part as Tree;
      const [component] = COMPONENT.exec(typeof $ref === 'string' ? $ref : '') ?? [];
      if (component !== undefined) this.use(unit, component);
      for (const each of Object.values(part) as unknown[]) pending.push(each);
    }
  }

  private use(unit: string, other: string): void {
    if (unit !== other) this.users.getOrInsertComputed(other, () => new Set()).add(unit);
  }

  private usersOf(unit: string): string {
    const all = new Set([unit]);
    // The iteration of a Set includes what is added meanwhile.
    for (const each of all) for (const user of this.users.get(each) ?? []) all.add(user);
    const operations = [...this.operations.intersection(all)];
    if (operations.length === 0) return unit.startsWith('#') ? 'no operation' : '';
    const more = operations.length - MAX_OPERATIONS;
    return [...operations.slice(0, MAX_OPERATIONS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  }
}
