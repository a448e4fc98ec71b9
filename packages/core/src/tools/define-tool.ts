import type { DeepReadonly } from './deep-readonly.ts';
import type { InferOutput, StandardSchema } from './standard-schema.ts';
import { Tool, type ToolOptions } from './tool.ts';

/**
 * Makes a tool that a model can call.
 *
 * The schema determines the types of the arguments, which are frozen. Annotate the context of each callback
 * that needs `deps`. An agent with this tool then requires them in every run.
 *
 * @example
 * const readFile = tool({
 *   name: 'read_file',
 *   description: 'Reads a text file.',
 *   inputSchema: z.object({ path: z.string() }),
 *   execute: ({ path }, ctx: ToolContext<{ root: string }>) => read(ctx.deps.root, path),
 * })
 */
export function tool<
  Deps = unknown,
  Schema extends StandardSchema = StandardSchema<unknown, object>,
  ApprovalDeps = unknown,
  ValidatorDeps = unknown,
  PrepareDeps = unknown,
  PreviewDeps = unknown,
  const Name extends string | undefined = undefined,
>(
  options: ToolOptions<Deps, Schema, ApprovalDeps, ValidatorDeps, PrepareDeps, PreviewDeps> & {
    readonly name?: Name;
  },
): Tool<
  NoInfer<Deps & ApprovalDeps & ValidatorDeps & PrepareDeps & PreviewDeps>,
  DeepReadonly<InferOutput<Schema>>,
  Name
> {
  // `Tool` does not know these types. The schema validates the arguments, and a run provides the deps.
  return new Tool(options as ToolOptions<unknown, never>);
}
