import { relative } from 'node:path';
import ts from 'typescript';
import { present } from './present.ts';

/**
 * Returns the exported symbols and methods of exported classes without a doc comment.
 *
 * A doc comment inherited from an interface or a base class counts. Properties, constructors, methods
 * named by a symbol and members of interfaces need none.
 */
export function findUndocumented(entries: readonly string[]): string[] {
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    types: [],
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
  });
  const checker = program.getTypeChecker();
  const found = entries.flatMap((entry) =>
    [...exportsOf(program, entry)].flatMap(([name, symbol]) => [
      ...(isDocumented(symbol, checker) ? [] : [describe(name, symbol)]),
      ...methodsOf(symbol, program)
        .filter((method) => !isDocumented(method, checker))
        .map((method) => describe(`${name}.${method.name}`, method)),
    ]),
  );
  return [...new Set(found)].toSorted();
}

/** Returns the names that each entry exports, types included, in the order of the entries. */
export function exportedNames(entries: readonly string[]): readonly (readonly string[])[] {
  const program = ts.createProgram(entries, { noLib: true, types: [] });
  return entries.map((entry) => [...exportsOf(program, entry).keys()]);
}

/** Returns the exports of an entry by name, including re-exports. */
function exportsOf(program: ts.Program, entry: string): Map<string, ts.Symbol> {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${entry} is not a module.`);
  const original = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return new Map(
    checker.getExportsOfModule(module).map((symbol) => [symbol.name, original(symbol)]),
  );
}

/** The methods that users of a class can call, inherited and static ones included. */
function methodsOf(symbol: ts.Symbol, program: ts.Program): ts.Symbol[] {
  if (!(symbol.flags & ts.SymbolFlags.Class)) return [];
  const checker = program.getTypeChecker();
  const members = [
    ...checker.getDeclaredTypeOfSymbol(symbol).getProperties(),
    ...checker.getTypeOfSymbol(symbol).getProperties(),
  ];
  return members.filter(
    (member) =>
      member.flags & ts.SymbolFlags.Method && isDeclaredHere(member, program) && isOpen(member),
  );
}

function isDeclaredHere(member: ts.Symbol, program: ts.Program): boolean {
  const file = member.valueDeclaration?.getSourceFile();
  return file !== undefined && !program.isSourceFileDefaultLibrary(file);
}

/** True if users can call a method and need its documentation; methods named by a symbol need none. */
function isOpen(member: ts.Symbol): boolean {
  const { valueDeclaration } = member;
  const name = valueDeclaration && ts.getNameOfDeclaration(valueDeclaration);
  if (name === undefined || ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name)) {
    return false;
  }
  const closed = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(present(valueDeclaration)) & closed) === 0;
}

function isDocumented(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return symbol.getDocumentationComment(checker).some(({ text }) => text.trim() !== '');
}

function describe(name: string, symbol: ts.Symbol): string {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) return name;
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${name} (${relative(process.cwd(), file.fileName)}:${line + 1})`;
}
