import { ContractError } from '../../src/contract-error.ts';
import { locationOf, readTree } from '../../src/schema/document.ts';
import { exactJson } from '../../src/schema/int64.ts';
import type { Doubt } from './decisions.ts';
import { isNode, type Tree } from './tree.ts';

/** Names the file in a text, as messages name every contract `openapi.yaml`. */
export function named(text: string, file: string): string {
  return text.replaceAll(/(?<![\w./-])openapi\.yaml/g, file);
}

/** The decisions of an author, in a file with one line for each. */
export class Answers {
  /** The text of the file, to which questions are added. */
  text: string;
  private readonly file: string;
  private readonly known: Tree;
  private readonly contract: string;

  /** @param text '' if there is no file yet @throws ContractError */
  constructor(file: string, text: string, contract: string) {
    this.file = file;
    const { tree } = readTree(text);
    this.known = isNode(tree) ? tree : {};
    this.text = text;
    this.contract = contract;
  }

  /** @returns the answer to a question; undefined: none yet @throws ContractError for an answer that is no choice */
  to(key: string, choices: Doubt['choices']): string | undefined {
    const given = this.known[key] ?? undefined;
    if (given === undefined) return undefined;
    const answer = typeof given === 'string' ? given : exactJson(given);
    if (choices.some(({ name }) => name === answer)) return answer;
    const names = choices.map(({ name }) => name).join(' or ');
    const [, place = ''] = locationOf(this.known, key).split('openapi.yaml');
    throw new ContractError(`${this.file}${place}: ${key} must be ${names}, not ${answer}`);
  }

  /** Adds a question to the file, unless it has it. @param lines the question in words */
  add(key: string, lines: readonly string[]): void {
    if (Object.hasOwn(this.known, key)) return;
    if (this.text === '')
      this.text = `# What \`trellis adopt ${this.contract}\` cannot decide: write a choice behind each name, and run it again.\n`;
    this.text += `\n${lines.map((line) => `# ${named(line, this.contract)}\n`).join('')}${key}:\n`;
  }
}
