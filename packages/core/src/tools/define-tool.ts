import type { InferOutput, StandardSchema } from './standard-schema.ts';
import { Tool, type ToolOptions } from './tool.ts';

/**
 * Makes a tool that a model can call.
 *
 * The types of the arguments follow from the schema. Annotate the context where the tool needs
 * something of the application: an agent with this tool then cannot be run without it.
 *
 * @example
 * const readFile = tool({
 *   name: 'read_file',
 *   description: 'Reads a text file.',
 *   inputSchema: z.object({ path: z.string() }),
 *   execute: ({ path }, ctx: RunContext<{ root: string }>) => read(ctx.deps.root, path),
 * })
 */
export function tool<
  Deps = unknown,
  Schema extends StandardSchema = StandardSchema<unknown, object>,
>(options: ToolOptions<Deps, Schema>): Tool<NoInfer<Deps>, InferOutput<Schema>> {
  // A tool is built without knowing the type of its arguments: nothing but its own schema, which it
  // keeps, decides what they are.
  return new Tool<Deps, InferOutput<Schema>>(options as ToolOptions<Deps, never>);
}
