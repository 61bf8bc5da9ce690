import type { Contract } from '../../src/contract/contract.ts';
import { locationOf, type Method } from '../../src/contract/document.ts';
import { ContractError, Refusal, ReplyError } from '../../src/contract/errors.ts';
import { type At, type Case, shown } from './cases.ts';
import { wrongExamples } from './examples.ts';
import { Subjects } from './subjects.ts';
import { type Json, write } from './values.ts';

/** A fixed seed, so that a contract that passes once always passes. */
const SEED = 20_260_000;
const MAX_NAMED = 10;

/**
 * Tests the service's validator with values that keep and values that break each keyword of the contract.
 *
 * @throws ContractError that names the place, keyword, operation and value of each difference
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
        wrong.push(
          `${locationOf(declared)}: ${operation.id}, ${name}: found no valid value that can be sent: add one to \`examples\``,
        );
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

const NEVER_BROKEN = 'found no value that breaks this keyword: remove it';
const NEVER_VALID = 'found no valid value that this keyword applies to: add one to `examples`, or remove the keyword';

function differenceOf({ value, isValid }: Case, validate: (value: Json) => void): string | undefined {
  try {
    validate(value);
    return isValid ? undefined : `accepts ${cut(value)}, which breaks this keyword`;
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ReplyError)) return `fails on ${cut(value)}: ${String(error)}`;
    return isValid ? `refuses ${cut(value)}, which is valid: ${error.message}` : undefined;
  }
}

function cut(value: Json): string {
  const text = write(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
