import ts from 'typescript';

/**
 * Returns the modules that a JavaScript, TypeScript or declaration file imports, requires or
 * references, other than by a relative path.
 */
export function importsFromOutside(text: string): string[] {
  // References to TypeScript's own libraries need nothing to be installed.
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text, true, true);
  return [...importedFiles, ...typeReferenceDirectives]
    .map(({ fileName }) => fileName)
    .filter((name) => !/^\.\.?\//.test(name));
}
