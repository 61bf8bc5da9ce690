import type { Adoption, AskedDoubt } from './work.ts';

const MAX_SHOWN = 5;
const MAX_LINE = 300;

/** What an adoption did, or asks, at some places. */
interface Entry {
  readonly heading: string;
  readonly places: readonly string[];
  /** The choices of a question. */
  readonly ways: readonly string[];
}

type Reported = Pick<Adoption, 'edits' | 'questions' | 'refusals'>;

export const openIn = ({ questions }: Pick<Reported, 'questions'>) =>
  [...questions.values()].filter(({ answer, made }) => answer === undefined && made === undefined);

/** What was made, and the author may answer otherwise. */
export const madeIn = ({ questions }: Pick<Reported, 'questions'>) =>
  [...questions.values()].filter(({ answer, made }) => answer === undefined && made !== undefined);

/** How many places were edited. */
export const countEdits = (work: Reported): number =>
  [...work.edits.values(), ...madeIn(work).map(({ made, places }) => (made === 'edit' ? [...places] : []))].flat()
    .length;

/** A question in lines. @param file has the places that are too many to be shown */
export function questionLines(asked: AskedDoubt, file?: string): string[] {
  return shownOf(ofQuestion(asked), file);
}

/** The lines that a run prints, but for the last one. */
export function printed(work: Reported, file?: string): string[] {
  const told = [
    ...Array.from(work.edits, ([what, places]) => shownOf(ofEdit(what, places), file).join('\n  ')),
    ...madeIn(work).map((each) => `${each.made ?? 'edit'}: ${questionLines(each, file).join('\n  ')}`),
    ...openIn(work).map((each) => `decision: ${questionLines(each, file).join('\n  ')}`),
  ];
  return [...told, ...work.refusals.map((each) => `refusal: ${each}`)];
}

/** The text of the file that has all places. */
export function listed({ edits, questions, refusals }: Reported): string {
  const entries = [
    ...Array.from(edits, ([what, places]) => ofEdit(what, places)),
    ...Array.from(questions.values(), (each) => {
      const { heading, places } = ofQuestion(each);
      const { answer, made, choices } = each;
      const [kind = 'decision', choice = 'not made'] =
        answer === undefined && made !== undefined ? [made, choices[0]?.name] : ['decision', answer];
      return { heading: `${kind}: ${heading}: ${choice} (${places.length})`, places };
    }),
    ...refusals.map((each) => ({ heading: `refusal: ${each}`, places: [] })),
  ];
  return entries.map(({ heading, places }) => `\n${[heading, ...places].map(inOneLine).join('\n  ')}\n`).join('');
}

function ofEdit(what: string, places: readonly string[]): Entry {
  return { heading: `edit: ${what} (${places.length})`, places, ways: [] };
}

function ofQuestion({ key, what, places, choices }: AskedDoubt): Entry {
  const ways = choices.map(({ name, means }) => `${key}: ${name} (${means})`);
  return { heading: `${key}: ${what}`, places: [...places], ways };
}

function shownOf({ heading, places, ways }: Entry, file?: string): string[] {
  const hidden = places.length - MAX_SHOWN;
  const more =
    hidden > 0 ? [`and ${hidden} more${file === undefined ? ': --decisions lists them' : `, in ${file}`}`] : [];
  return [heading, ...places.slice(0, MAX_SHOWN), ...more, ...ways].map((line) => {
    const whole = inOneLine(line);
    return whole.length > MAX_LINE ? `${whole.slice(0, MAX_LINE)}…` : whole;
  });
}

const inOneLine = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ');
