/** A module of Node, asked for at run time instead of imported: browsers do not have it. */
export function builtinModule<Module>(name: string): Module | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => Module | undefined };
  };
  return process?.getBuiltinModule?.(name);
}
