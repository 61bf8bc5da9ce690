import { readFile } from 'node:fs/promises';
import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { parse } from 'yaml';

/** Reads `extends` and `rules` of .spectral.yaml, without Spectral's own reader, which needs 33 packages. */
const { extends: sets, rules } = parse(await readFile('.spectral.yaml', 'utf8')) as {
  extends: readonly (readonly [ruleset: string, which: 'all' | 'recommended'])[];
  rules: Record<string, 'off'>;
};
const rulesets = sets.map(async ([name, which]) => {
  const { default: ruleset } = (await import(name)) as { default: RulesetDefinition };
  return [ruleset, which] as [RulesetDefinition, typeof which];
});
const spectral = new Spectral();
spectral.setRuleset({ extends: await Promise.all(rulesets), rules });

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
const yaml = await readFile('openapi.yaml', 'utf8');
const document = new Document(yaml, parsers.Yaml, 'openapi.yaml');
for (const { range, severity, code, message } of await spectral.run(document)) {
  const place = `openapi.yaml:${range.start.line + 1}:${range.start.character + 1}`;
  console.error(`${place} ${SEVERITIES[severity]} ${code}: ${message}`);
  if (SEVERITIES[severity] === 'error' || SEVERITIES[severity] === 'warning') process.exitCode = 1;
}
