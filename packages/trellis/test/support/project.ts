import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { ROOT } from './service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

/** A copy of the project that a test may change. */
export class Project {
  readonly folder = temporaryFolder();
  readonly main = join(this.folder, 'src/main.ts');
  /** The program of the service of most tests. */
  readonly itemsMain = join(this.folder, 'packages/trellis/test/services/items/main.ts');

  private readonly from: string;

  /** @param from the project, or another copy of it */
  constructor(from = ROOT) {
    this.from = from;
    const left = ['node_modules', '.git', '.cache', 'coverage', 'data'];
    this.restore(...readdirSync(from).filter((each) => !left.includes(each)));
    this.link(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Copies files and folders again, and so undoes changes to them. */
  restore(...names: readonly string[]): void {
    for (const name of names) {
      this.remove(name);
      // The packages that the bench installs beside its peers are left out.
      const filter = (path: string) => !path.endsWith('/node_modules');
      cpSync(join(this.from, name), join(this.folder, name), { recursive: true, filter });
    }
  }

  /** Its packages are those of the project, but its workspaces are its own: npm links them from beside node_modules. */
  private link(from: string, to: string): void {
    mkdirSync(to);
    for (const each of readdirSync(from, { withFileTypes: true }))
      symlinkSync(
        each.isSymbolicLink() ? readlinkSync(join(from, each.name)) : join(from, each.name),
        join(to, each.name),
      );
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  /** Replaces a text in a file, which must contain it. */
  edit(file: string, from: string, to: string): void {
    const text = this.read(file);
    expect(text).toContain(from);
    this.write(
      file,
      text.replace(from, () => to),
    );
  }
}
