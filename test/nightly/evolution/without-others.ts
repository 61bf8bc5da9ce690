import { entriesOf, linesOf } from '../outline.ts';

/** Removes all operations but one from a contract, and the components that the remaining operation does not need. */
export function withoutOthers(yaml: string, operationId: string): string {
  const isMine = (body: readonly string[]) => body.includes(`      operationId: ${operationId}`);
  let lines = within(yaml.trimEnd().split('\n'), 'paths:', (paths) =>
    linesOf(
      entriesOf(paths)
        .filter(({ body }) => isMine(body))
        .map(({ head, body }) => ({ head, body: linesOf(entriesOf(body).filter((each) => isMine(each.body))) })),
    ),
  );
  for (let before = Infinity; lines.length < before;) {
    before = lines.length;
    const text = lines.join('\n');
    lines = within(lines, 'components:', (kinds) =>
      linesOf(
        entriesOf(kinds)
          .map(({ head, body }) => ({ head, body: linesOf(entriesOf(body).filter(isUsed(head, text))) }))
          .filter(({ body }) => body.length > 0),
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

function isUsed(kind: string, text: string): (component: { readonly head: string }) => boolean {
  const [, name = ''] = / {2}(\w+):/.exec(kind) ?? [];
  return ({ head }) => name === 'securitySchemes' || text.includes(`#/components/${name}/${head.trim().slice(0, -1)}'`);
}

function within(lines: readonly string[], head: string, change: (body: readonly string[]) => string[]): string[] {
  return linesOf(entriesOf(lines).map((each) => (each.head === head ? { head, body: change(each.body) } : each)));
}
