const VALUES = ['const', 'enum'];
const NUMBER = [
  ['minimum', 'exclusiveMinimum', 'format', ...VALUES],
  ['maximum', 'exclusiveMaximum', 'format', ...VALUES],
];
/** For each type, groups of keywords: a schema must have one of each group. */
const BOUNDS: Partial<Record<string, readonly (readonly string[])[]>> = {
  string: [['maxLength', ...VALUES]],
  array: [['maxItems', ...VALUES]],
  integer: NUMBER,
  number: NUMBER,
};

/** What Redocly gives to a rule; it exports no type for it. */
interface Context {
  readonly location: unknown;
  readonly report: (problem: { readonly message: string; readonly location: unknown }) => void;
}

/** A rule in code, because no assertion in redocly.yaml can select a schema with `string` in a list of types. */
const bounds = () => ({
  Schema(schema: { readonly type?: string | readonly string[] }, { location, report }: Context) {
    for (const type of [schema.type ?? []].flat()) {
      for (const group of BOUNDS[type] ?? []) {
        if (group.some((keyword) => keyword in schema)) continue;
        report({ message: `A schema of type ${type} must have ${group.join(' or ')}.`, location });
      }
    }
  },
});

export default () => ({ id: 'own', rules: { oas3: { bounds } } });
