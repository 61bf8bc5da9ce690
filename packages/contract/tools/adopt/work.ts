/**
 * A document that was written elsewhere becomes a contract. A tree of plain objects comes in (read.ts), with the answers
 * that its author has given so far (answers.ts); the tree is changed in place, and text.ts writes the changes into the text,
 * whose comments and order stay. Stage by stage: what changes no meaning is an edit (edits.ts and others), what changes one is
 * a question with choices, of which the first is taken until it is answered, and what a stage still refuses is left out, as
 * a question too. A stage goes on until it changes nothing, as an edit may make another one necessary (MAX_ROUNDS).
 *
 * Out go the places of each edit, the questions, and the refusals of what nothing mends: with one of those, no contract is
 * written. Each change of the tree tells its places (`tell`, `settle`), so that nothing is lost without a line.
 *
 * @module
 */
import type { ContractError } from '../../src/contract-error.ts';
import type { ObjectKind } from '../../src/rules/vocabulary.ts';
import { follower } from '../../src/schema/document.ts';
import type { Answers } from './answers.ts';
import type { Choice, Doubt, Made, Question } from './decisions.ts';
import { MAPPINGS, pin } from './discriminators.ts';
import { type Draft, type Edit, EDITS, VARIABLES } from './edits.ts';
import { EDITS_OF_MEANING } from './edits-of-meaning.ts';
import { DECLARE, ERROR_BODY, FAILURE_HEADERS, STATUS_422 } from './failures.ts';
import { IGNORED_BODIES } from './ignored-bodies.ts';
import { LEFT_OUT, leaveOut, type Part, refusedParts } from './leaving-out.ts';
import { MEDIA_TYPES, OPERATIONS, withoutOperations } from './media-types.ts';
import { refusalsOfDefaults } from './places.ts';
import { danglingIn } from './read.ts';
import { errorsOf, refusalsOfForm, refusalsOfMeaning } from './reading.ts';
import { REPEATED, REPEATED_PARAMETERS } from './repeated-parameters.ts';
import { SECURITY } from './security.ts';
import { SERVERS } from './servers.ts';
import { PlaceList, type Spot } from './spots.ts';
import { type KnownObject, nodesIn } from '../../src/rules/objects.ts';
import type { Tree } from './tree.ts';
import { leaveOutUnused, UNUSED } from './unused.ts';

/** The stages, one after the other: a document that a stage refuses cannot be read by the next ones. */
const STAGES: readonly {
  readonly edits: readonly Edit[];
  readonly questions: readonly Question[];
  readonly refusals: (document: Tree) => readonly ContractError[];
}[] = [
  { edits: [], questions: [IGNORED_BODIES], refusals: danglingIn },
  {
    edits: [...EDITS, ...REPEATED],
    questions: [OPERATIONS, MEDIA_TYPES, REPEATED_PARAMETERS, SECURITY, SERVERS],
    refusals: refusalsOfForm,
  },
  { edits: [DECLARE], questions: [STATUS_422, ERROR_BODY, FAILURE_HEADERS], refusals: () => [] },
  { edits: [...EDITS_OF_MEANING, ...MAPPINGS], questions: [], refusals: refusalsOfDefaults },
  // Variables are declared again, as a parameter that is left out may be the variable of a path.
  { edits: [VARIABLES], questions: [], refusals: refusalsOfMeaning },
];
export const ALL_EDITS = [...new Set(STAGES.flatMap(({ edits }): readonly Pick<Edit, 'what'>[] => edits)), UNUSED];
export const ALL_KEYS = [
  ...STAGES.flatMap(({ questions }) => questions.map(({ key }) => key)),
  ...Object.keys(LEFT_OUT),
];

/** An edit, or an answer, may make another edit or question necessary. */
const MAX_ROUNDS = 5;
const PIN =
  'each branch requires its own value, or the one that the mapping says; one that is used elsewhere too stays, and the branch refers to it';

/** Makes a contract of a document. While a question is open, its first choice counts as the answer. */
export class Adoption {
  /** The places of each edit, by its `what`. */
  readonly edits = new Map<string, string[]>();
  /** The questions, by their keys. */
  readonly questions = new Map<string, AskedDoubt>();
  readonly refusals: readonly string[];
  /** The refusals of the parts that were left out, by the key of their question. */
  private readonly leftOut = new Map<string, Map<string, Part>>();
  private readonly pinned = new Set<object>();
  private changes = 0;
  private readonly draft: Draft;
  private readonly answers: Answers;
  private places: PlaceList;

  constructor(document: Tree, answers: Answers) {
    // Follows anew each time, as edits change where a reference leads.
    const follow = (reference: string) => follower(document)(reference);
    this.draft = { document, isOld: String(document['openapi']).startsWith('3.0'), follow };
    this.answers = answers;
    this.places = new PlaceList(document);
    let other: readonly string[] | undefined;
    let refusals: readonly ContractError[] = [];
    for (const { edits, questions, refusals: find } of STAGES) {
      let found: readonly ContractError[] = [];
      const thrown = errorsOf(() => {
        for (let left: typeof found | undefined; left === undefined;) {
          this.rounds(edits, questions);
          left = this.leaveOut(find(document));
          found = left ?? [];
        }
      });
      refusals = [...thrown, ...found];
      // Once it is decided which bodies there are, and before what is no JSON goes.
      other ??= withoutOperations(this.draft);
      if (refusals.length > 0) break;
    }
    const wrong = errorsOf(() => {
      for (const [key, parts] of this.leftOut) this.settle(key, doubtOf(key, parts));
    });
    refusals = wrong.length > 0 ? wrong : refusals;
    // A document without such an operation cannot be adopted, so its other refusals would be of no use.
    this.refusals = other !== undefined && other.length > 0 ? other : refusals.map(({ message }) => message);
  }

  private rounds(edits: readonly Edit[], questions: readonly Question[]): void {
    for (let round = 0, before = -1; round < MAX_ROUNDS && this.changes !== before; round++) {
      before = this.changes;
      for (const { what, of, member, change } of edits)
        for (const found of this.nodes(of)) {
          const changed = change(found.node, this.draft, found);
          const spots =
            changed === true ? [{ node: found.node, ...(member !== undefined && { member }) }] : changed || [];
          if (spots.length === 0) continue;
          this.tell(what, spots);
        }
      for (const { key, ask } of questions) {
        const asked = ask(this.draft);
        if (asked !== undefined) this.settle(key, asked)?.apply();
      }
    }
  }

  private tell(what: string, spots: readonly Spot[]): void {
    this.changes += spots.length;
    this.edits.getOrInsertComputed(what, () => []).push(...spots.map((each) => this.places.tell(each)));
  }

  private known = { changes: -1, byKind: new Map<ObjectKind, KnownObject[]>() };

  /** A large document has a million objects: they are visited again only after a change. */
  private nodes(kind: ObjectKind): readonly KnownObject[] {
    if (this.known.changes !== this.changes)
      this.known = { changes: this.changes, byKind: Map.groupBy(nodesIn(this.draft.document), (each) => each.kind) };
    return this.known.byKind.get(kind) ?? [];
  }

  /** @returns the refusals that stay; undefined: a part that was left out may have hidden other refusals */
  private leaveOut(refusals: readonly ContractError[]): readonly ContractError[] | undefined {
    if (refusals.length === 0) return refusals;
    const { document } = this.draft;
    const parts = refusedParts(document, refusals);
    const others = new Set(refusals).difference(
      new Set(parts.entries().flatMap(([{ key }, error]) => (key === 'examples' ? [error] : []))),
    );
    const unused = leaveOutUnused(document, [...others]);
    if (unused.length > 0) {
      this.tell(UNUSED.what, unused);
      return undefined;
    }
    // Anew, as edits have made other objects.
    if (parts.size > 0) this.places = new PlaceList(document);
    const before = this.changes;
    const isConst =
      parts.keys().some(({ key }) => key === 'discriminators') &&
      this.answers.to('discriminators', doubtOf('discriminators').choices) !== 'leave-out';
    for (const [part, { message }] of parts) {
      const told = this.leftOut.getOrInsertComputed(part.key, () => new Map<string, Part>());
      const isUnion = isConst && part.key === 'discriminators';
      const pinned = isUnion && !this.pinned.has(part.node) ? pin(part.node, document) : undefined;
      const said = isUnion && pinned === undefined ? `${message}; no const mends it, and it is left out` : message;
      const place = this.places.tell({ node: part.node, told: said });
      // If the same refusal comes again, the part was left out in vain.
      if (pinned === undefined && told.has(place)) continue;
      told.set(place, part);
      if (pinned !== undefined) {
        this.pinned.add(part.node);
        parts.delete(part);
        for (const spot of pinned) told.set(this.places.tell(spot), part);
      }
      this.changes++;
    }
    leaveOut(document, parts.keys());
    const changed = this.changes - before;
    if (changed === 0) return refusals;
    // Each example is judged by itself, and no other rule looks at it: without these, a large document is not read again.
    const areExamples = changed === refusals.length && parts.keys().every(({ key }) => key === 'examples');
    return areExamples ? [] : undefined;
  }

  /** Asks a question, unless it has an answer. @returns the choice */
  private settle(key: string, { what, spots, choices, made }: Doubt): Choice | undefined {
    const answer = this.answers.to(key, choices);
    const { places } = this.questions.getOrInsertComputed(key, () => ({
      key,
      what,
      choices,
      answer,
      made,
      places: new Set(),
    }));
    const before = places.size;
    for (const each of spots) places.add(this.places.tell(each));
    this.changes += places.size - before;
    return choices.find(({ name }) => name === answer) ?? choices[0];
  }
}

/** A question as it was asked, with all of its places. */
export interface AskedDoubt extends Pick<Doubt, 'what' | 'choices'> {
  readonly key: string;
  readonly made: Made | undefined;
  readonly answer: string | undefined;
  readonly places: Set<string>;
}

function doubtOf(key: string, parts: ReadonlyMap<string, Part> = new Map()): Doubt {
  const [what = '', means = ''] = LEFT_OUT[key] ?? [];
  const choices = [{ name: 'leave-out', means, apply: () => undefined }];
  if (key === 'discriminators') choices.unshift({ name: 'const', means: PIN, apply: () => undefined });
  const spots = Array.from(parts, ([told, { node, isEnforced }]) => ({ node, told, isEnforced }));
  // What is enforced comes first, such as a `type`, as all that is shown may be a few places.
  const [enforced = [], others = []] = [true, false].map((is) => spots.filter((each) => each.isEnforced === is));
  return { what, spots: [...enforced, ...others], choices, ...(key === 'examples' && { made: 'edit' }) };
}
