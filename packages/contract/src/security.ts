import type { Demand } from './message/operation.ts';
import { carrierOf, type SecurityScheme } from './schemes.ts';
import { areScopes, NO_SCOPES } from './scopes.ts';
import type { Attempt } from './schema/findings.ts';
import { type OpenApiDocument, refuse, type Resolve, type Security } from './schema/document.ts';

export function readSecurity(
  { components }: OpenApiDocument,
  security: Security,
  resolve: Resolve,
  where: string,
): Demand {
  const alternatives = security.flatMap((alternative) => {
    const schemes = Object.keys(alternative);
    for (const scheme of schemes) {
      if (!Object.hasOwn(components?.securitySchemes ?? {}, scheme))
        refuse(security, where, `the security scheme ${scheme} must be declared under components/securitySchemes`);
    }
    if (schemes.length > 1)
      refuse(
        alternative,
        where,
        `a request has one token, not one of each of ${schemes.join(', ')}: name one scheme, with the scopes of all`,
      );
    const scopes = Object.values(alternative).flat();
    if (!areScopes(scopes)) refuse(alternative, where, NO_SCOPES);
    return schemes.length === 0 ? [] : [scopes];
  });
  const fields = security.flatMap(Object.keys).map((name) => {
    const scheme: SecurityScheme = components?.securitySchemes?.[name] ?? { type: 'http' };
    return carrierOf(resolve(scheme));
  });
  // The names of header fields do not distinguish case.
  const carriers = [...new Map(fields.map((each) => [each.toLowerCase(), each])).values()];
  return { security: alternatives, anonymous: alternatives.length < Math.max(security.length, 1), carriers };
}

/**
 * A token does not say which scheme it belongs to, so that any token would pass for each scheme. Where operations name
 * several schemes, each must therefore name all of them, as alternatives with the same scopes.
 *
 * @param demands of all operations
 */
export function requireOneScheme(
  demands: readonly { readonly security: Security; readonly where: string }[],
  attempt: Attempt,
): void {
  const schemes = new Set(demands.flatMap(({ security }) => security.flatMap((each) => Object.keys(each))));
  for (const { security, where } of demands)
    for (const alternative of security)
      for (const [scheme, scopes] of Object.entries(alternative)) {
        const other = [...schemes].find((each) => !security.some((also) => demandsAll(also, each, scopes)));
        if (other === undefined) continue;
        attempt(() => {
          refuse(
            alternative,
            where,
            `a token of ${scheme} cannot be told from one of ${other}, which other operations name: ` +
              `name one scheme everywhere, and tell tokens apart by scopes, such as ${scheme}: [admin]`,
          );
        });
      }
}

function demandsAll(requirement: Security[number], scheme: string, scopes: readonly string[]): boolean {
  const demanded = Object.hasOwn(requirement, scheme) ? requirement[scheme] : undefined;
  return demanded !== undefined && new Set(demanded).symmetricDifference(new Set(scopes)).size === 0;
}
