import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** One file below `src/`. */
export interface SourceFile {
  /** From `src/`, with forward slashes: `tools/define-tool.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Every file below `packages/core/src`, in a stable order. */
export function readSourceFiles(): SourceFile[] {
  const root = fileURLToPath(new URL('../../src', import.meta.url));
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({
      path: relative(root, file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }));
}

/** True if the file is a test (`*.test.ts`) or a type test (`*.test-d.ts`). */
export function isTest(path: string): boolean {
  return /\.test(-d)?\.ts$/.test(path);
}

/** Calls `visit` with every node of the file; comments are not nodes. */
export function visitNodes(file: SourceFile, visit: (node: ts.Node) => void): void {
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(tree);
}

/** The line of a node, for messages: `tools/tool.ts:12`. */
export function locationOf(file: SourceFile, node: ts.Node): string {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `${file.path}:${line + 1}`;
}
