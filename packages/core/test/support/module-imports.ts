import ts from 'typescript';

/**
 * What a JavaScript, TypeScript or declaration file wants from outside of its package: the names of
 * modules that it imports, requires or refers to, other than by a relative path.
 */
export function importsFromOutside(text: string): string[] {
  // References to TypeScript's own libraries need nothing to be installed.
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text, true, true);
  return [...importedFiles, ...typeReferenceDirectives]
    .map(({ fileName }) => fileName)
    .filter((name) => !/^\.\.?\//.test(name));
}
