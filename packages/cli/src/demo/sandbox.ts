import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ModelRetry } from 'holdpoint';

const FILES: Readonly<Record<string, string>> = {
  'CHANGELOG.md':
    '# Changes\n\n## Unreleased\n\n- Keeps the water warm\n- The lid wakes the kettle again\n',
  'package.json': '{ "name": "kettle", "version": "1.2.0" }\n',
  'build/march.log': 'warning: the lid is open\n'.repeat(3),
};

/** A folder that an agent may work on, and nothing outside of it. */
export class Sandbox {
  readonly root: string;

  /** Works on a folder that is there. */
  constructor(root: string) {
    this.root = root;
  }

  /** Makes a fresh one, with something in it. */
  static make(root: string): Sandbox {
    const sandbox = new Sandbox(root);
    for (const [path, content] of Object.entries(FILES)) sandbox.write(path, content);
    return sandbox;
  }

  list(): readonly string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name)))
      .toSorted();
  }

  /** The content of a file; empty if there is none. */
  read(path: string): string {
    const file = this.#resolve(path);
    return this.list().includes(relative(this.root, file)) ? readFileSync(file, 'utf8') : '';
  }

  write(path: string, content: string): void {
    const file = this.#resolve(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  delete(path: string): void {
    rmSync(this.#resolve(path), { force: true });
  }

  #resolve(path: string): string {
    const file = resolve(this.root, path);
    if (file.startsWith(this.root + sep)) return file;
    throw new ModelRetry('Only paths inside of the folder.');
  }
}
