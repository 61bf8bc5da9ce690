import { follower, locationOf } from '../../src/contract/schema/document.ts';
import type { Answers } from './answers.ts';
import { type Doubt, type Question, QUESTIONS } from './decisions.ts';
import { QUESTIONS_OF_EXAMPLES, QUESTIONS_OF_MEANING } from './decisions-of-meaning.ts';
import { type Draft, type Edit, EDITS } from './edits.ts';
import { EDITS_OF_MEANING } from './edits-of-meaning.ts';
import { DECLARE, ERROR_BODY, FAILURE_HEADERS, STATUS_422 } from './failures.ts';
import { MEDIA_TYPES, withoutJson } from './media-types.ts';
import { refusalsOf, refusalsOfForm, refusalsOfMeaning } from './reading.ts';
import { SECURITY } from './security.ts';
import { type Tree, nodesIn } from './tree.ts';

/** One after the other: what a stage refuses keeps the next ones from reading the document. */
const STAGES: readonly {
  readonly edits: readonly Edit[];
  readonly questions: readonly Question[];
  readonly refusals: (document: Tree) => readonly string[];
}[] = [
  { edits: EDITS, questions: [MEDIA_TYPES, SECURITY, ...QUESTIONS], refusals: () => [] },
  { edits: [DECLARE], questions: [STATUS_422, ERROR_BODY, FAILURE_HEADERS], refusals: refusalsOfForm },
  { edits: EDITS_OF_MEANING, questions: QUESTIONS_OF_MEANING, refusals: refusalsOfMeaning },
  { edits: [], questions: QUESTIONS_OF_EXAMPLES, refusals: (document) => refusalsOfMeaning(document, true) },
];
export const ALL_EDITS = STAGES.flatMap(({ edits }) => edits);
export const ALL_QUESTIONS = STAGES.flatMap(({ questions }) => questions);

const MAX_SHOWN = 5;
/** An edit, or an answer, may make room for another one. */
const MAX_ROUNDS = 5;

/** A document becomes a contract, as if each open question had its first answer. */
export class Adoption {
  /** How often each edit was made, by what it says. */
  readonly edits = new Map<string, number>();
  /** The questions without an answer, in words. */
  readonly open: string[] = [];
  readonly refusals: readonly string[];
  private readonly asked = new Set<string>();
  private changes = 0;
  private readonly draft: Draft;
  private readonly answers: Answers;

  constructor(document: Tree, answers: Answers) {
    // Anew each time, as edits change where a reference leads.
    const follow = (reference: string) => follower(document)(reference);
    this.draft = { document, isOld: String(document['openapi']).startsWith('3.0'), follow };
    this.answers = answers;
    const other = withoutJson(this.draft);
    let refusals: readonly string[] = [];
    for (const stage of STAGES) {
      refusals = refusalsOf(() => {
        this.rounds(stage.edits, stage.questions);
      });
      if (refusals.length === 0) refusals = stage.refusals(document);
      if (refusals.length > 0) break;
    }
    // Of a body that is never JSON the others say no more.
    this.refusals = other.length > 0 ? other : refusals;
  }

  private rounds(edits: readonly Edit[], questions: readonly Question[]): void {
    for (let round = 0, before = -1; round < MAX_ROUNDS && this.changes !== before; round++) {
      before = this.changes;
      for (const { what, of, change } of edits)
        for (const found of nodesIn(this.draft.document)) {
          const count = found.kind === of ? Number(change(found.node, this.draft, found)) : 0;
          if (count === 0) continue;
          this.changes += count;
          this.edits.set(what, (this.edits.get(what) ?? 0) + count);
        }
      for (const question of questions) this.settle(question);
    }
  }

  private settle({ key, ask }: Question): void {
    const asked = ask(this.draft);
    if (asked === undefined) return;
    const answer = this.answers.to(key, asked);
    if (answer === undefined && !this.asked.has(key)) {
      this.asked.add(key);
      const lines = inWords(key, asked);
      this.open.push(lines.join('\n  '));
      this.answers.add(key, lines);
    }
    const chosen = asked.choices.find(({ name }) => name === answer) ?? asked.choices[0];
    chosen?.apply();
    this.changes++;
  }
}

function inWords(key: string, { what, spots, choices }: Doubt): string[] {
  const shown = spots.slice(0, MAX_SHOWN).map(({ node, member, name }) => `${locationOf(node, member)} ${name}`);
  const more = spots.length > shown.length ? [`and ${spots.length - shown.length} more`] : [];
  const ways = choices.map(({ name, means }) => `${key}: ${name} (${means})`);
  return [`${key}: ${what}`, ...shown, ...more, ...ways].map((line) => line.replaceAll('\n', ' '));
}
