import ts from 'typescript';
import type { TextFile } from './words.ts';

/** A name that several files declare at their top level. */
export interface AmbiguousName {
  readonly name: string;
  readonly paths: readonly string[];
}

/** Returns the names that more than one file declares at its top level, the most frequent first. */
export function findAmbiguousNames(files: readonly TextFile[]): readonly AmbiguousName[] {
  const pathsByName = new Map<string, string[]>();
  for (const { path, text } of files) {
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    // Overloads declare a name several times in one file.
    for (const name of new Set(topLevelNames(tree))) {
      pathsByName.set(name, [...(pathsByName.get(name) ?? []), path]);
    }
  }
  return [...pathsByName]
    .map(([name, paths]) => ({ name, paths }))
    .filter(({ paths }) => paths.length > 1)
    .toSorted((one, other) => other.paths.length - one.paths.length);
}

function topLevelNames(tree: ts.SourceFile): readonly string[] {
  return tree.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations
        .filter((declaration) => ts.isIdentifier(declaration.name))
        .map((declaration) => declaration.name.getText());
    }
    const isDeclaration =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement);
    return isDeclaration && statement.name !== undefined ? [statement.name.text] : [];
  });
}
