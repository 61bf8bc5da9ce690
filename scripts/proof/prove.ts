import type { Contract } from '../../src/contract/contract.ts';
import { locationOf, type Method } from '../../src/contract/document.ts';
import { ContractError, Refusal, ReplyError } from '../../src/contract/errors.ts';
import { type At, type Case, shown } from './cases.ts';
import { wrongExamples } from './examples.ts';
import { Subjects } from './subjects.ts';
import { type Json, write } from './values.ts';

/** What is random in the values is the same in each run: a contract that passes once passes always. */
const SEED = 20_260_000;
/** How many differences a message names. */
const MAX_NAMED = 10;

/**
 * Holds the service's validator to each keyword of a contract's operations, by values on both sides of it.
 *
 * @throws ContractError which names place, keyword, operation and value of each difference
 */
export function prove({ document, operations }: Contract): void {
  const subjects = new Subjects(document, SEED);
  const wrong = wrongExamples(document);
  for (const operation of operations) {
    for (const { name, cases, ways } of [...subjects.ofRequests(operation), ...subjects.ofReplies(operation)]) {
      const say = (keywords: readonly At[], what: string) => {
        const at = [...new Set(keywords.map(shown))].slice(0, 3).join(', ');
        wrong.push(`${at}: ${operation.id}, ${name}: ${what}`);
      };
      if (!cases.cases.some(({ isValid }) => isValid)) {
        const declared = document.paths?.[operation.path]?.[operation.method.toLowerCase() as Method];
        wrong.push(`${locationOf(declared)}: ${operation.id}, ${name}: nothing valid was found that can be sent`);
      }
      for (const { at, isJudging } of cases.unproved) say([at], isJudging ? NEVER_BROKEN : NEVER_VALID);
      for (const each of cases.cases) {
        const [difference] = ways.flatMap((validate) => differenceOf(each, validate) ?? []);
        if (difference !== undefined) say(each.keywords(), `the validator ${difference}`);
      }
    }
  }
  if (wrong.length === 0) return;
  const more = wrong.length > MAX_NAMED ? [`and ${wrong.length - MAX_NAMED} more`] : [];
  throw new ContractError([...wrong.slice(0, MAX_NAMED), ...more].join('\n'));
}

const NEVER_BROKEN = 'no value was found that breaks it: leave it out';
const NEVER_VALID = 'no valid value was found that it judges: add one to `examples`, or leave it out';

function differenceOf({ value, isValid }: Case, validate: (value: Json) => void): string | undefined {
  try {
    validate(value);
    return isValid ? undefined : `accepts ${cut(value)}, which breaks it`;
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ReplyError)) return `fails on ${cut(value)}: ${String(error)}`;
    return isValid ? `refuses ${cut(value)}, which is valid: ${error.message}` : undefined;
  }
}

function cut(value: Json): string {
  const text = write(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
