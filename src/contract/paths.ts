/** A path as Express takes it to the letter: what it would read as more than that is escaped. */
export function literalPath(path: string): string {
  return path.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
}

/** A path template of the contract as Express's: `/plants/{id}` as `/plants/:"id"`. */
export function templatePath(template: string): string {
  const parts = template.split(/\{([^}]+)\}/);
  return parts.map((part, index) => (index % 2 === 1 ? `:${JSON.stringify(part)}` : literalPath(part))).join('');
}
