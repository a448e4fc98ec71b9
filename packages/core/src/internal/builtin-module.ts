/** Returns a built-in module of Node; `undefined` in other runtimes. An import would fail in browsers. */
export function builtinModule<Module>(name: string): Module | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => Module | undefined };
  };
  return process?.getBuiltinModule?.(name);
}
