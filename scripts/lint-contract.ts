import { readFile } from 'node:fs/promises';
import { Document, type ISpectralDiagnostic, Spectral } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import parsers from '@stoplight/spectral-parsers';

// Its types are those of its other build, which an import does not get.
const OWASP = owasp as unknown as typeof owasp.default;
const CONTRACT = new URL('../openapi.yaml', import.meta.url);

/** The rules of OWASP's ruleset that do not hold here, with the reason. */
export const SWITCHED_OFF: Readonly<Record<string, string>> = {
  'owasp:api1:2023-no-numeric-ids':
    'the specification makes ids int64, which clients choose; whoever has a token may see every plant',
  'owasp:api4:2023-integer-limit':
    'owasp:api4:2023-integer-format has each integer be int32 or int64, and the service holds to both: these are limits',
  'owasp:api4:2023-rate-limit':
    'it wants the limit told with each reply: none is counted before its token is known, so a 401 cannot tell it',
  'owasp:api8:2023-define-cors-origin':
    'which pages may call is not for the contract to say: each operator does, by CORS_ORIGINS, and browsers see to it',
  'owasp:api8:2023-define-error-responses-500':
    '`default` declares it: by its number, a handler could return it, where failures are to be thrown',
  'owasp:api9:2023-inventory-access':
    'the only server is the address where the document was read: its operator knows who may reach it',
  'owasp:api9:2023-inventory-environment': 'as above: its operator knows what it is for',
};

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

/** The names of all rules. */
export const RULES: readonly string[] = Object.keys(OWASP.rules);

/** What a rule has found, as `openapi.yaml:12:7`. */
export interface Finding {
  readonly place: string;
  readonly severity: (typeof SEVERITIES)[number];
  readonly rule: string;
  readonly message: string;
}

/** Lints a contract by OWASP's ruleset for Spectral, without the rules that are switched off. */
export async function findFaults(
  yaml: string,
  switchedOff: readonly string[] = Object.keys(SWITCHED_OFF),
): Promise<Finding[]> {
  const spectral = new Spectral();
  const rules = Object.fromEntries(switchedOff.map((rule) => [rule, 'off'] as const));
  spectral.setRuleset({ extends: [[OWASP, 'all']], rules });
  return (await spectral.run(new Document(yaml, parsers.Yaml, 'openapi.yaml'))).map(toFinding);
}

function toFinding({ range: { start }, severity, code, message }: ISpectralDiagnostic): Finding {
  return {
    place: `openapi.yaml:${start.line + 1}:${start.character + 1}`,
    severity: SEVERITIES[severity],
    rule: String(code),
    message,
  };
}

if (import.meta.main) {
  const findings = await findFaults(await readFile(CONTRACT, 'utf8'));
  for (const { place, severity, rule, message } of findings) console.error(`${place} ${severity} ${rule}: ${message}`);
  if (findings.some(({ severity }) => severity === 'error' || severity === 'warning')) process.exitCode = 1;
}
