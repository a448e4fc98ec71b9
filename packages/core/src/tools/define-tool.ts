import type { DeepReadonly } from './deep-readonly.ts';
import type { InferOutput, StandardSchema } from './standard-schema.ts';
import { Tool, type ToolOptions } from './tool.ts';

/**
 * Makes a tool that a model can call.
 *
 * The types of the arguments follow from the schema; the arguments are frozen. Annotate the context of
 * each callback that needs something of the application: an agent with this tool then cannot be run
 * without it.
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
>(
  options: ToolOptions<Deps, Schema, ApprovalDeps, ValidatorDeps, PrepareDeps, PreviewDeps>,
): Tool<
  NoInfer<Deps & ApprovalDeps & ValidatorDeps & PrepareDeps & PreviewDeps>,
  DeepReadonly<InferOutput<Schema>>
> {
  // A tool is built without knowing the types of its arguments and of the deps of each callback. Its own
  // schema, which it keeps, decides what the arguments are; a run provides the deps of all callbacks.
  return new Tool(options as ToolOptions<unknown, never>);
}
