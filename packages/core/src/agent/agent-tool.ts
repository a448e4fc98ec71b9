import type { RunContext, ToolContext } from '../context/run-context.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { UserError } from '../errors/user-errors.ts';
import { resumptionOf, SubRunParked } from '../deferred/sub-agent-run.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { Message } from '../messages/message.ts';
import { type SubAgentLookup, registerAgentTool } from '../tools/agent-tools.ts';
import type { DeepReadonly } from '../tools/deep-readonly.ts';
import { fromJsonSchema } from '../tools/input-schema.ts';
import type { InferOutput, StandardSchema } from '../tools/standard-schema.ts';
import { Tool, type ToolOptions } from '../tools/tool.ts';
import type { ParkedResult, RunResult } from './run-handle.ts';

/** The default arguments of the tool of an agent. */
export type PromptSchema = StandardSchema<{ readonly prompt: string }, { readonly prompt: string }>;

/** Options of `agent.asTool`. */
export interface AgentToolOptions<
  ToolDeps,
  Schema extends StandardSchema,
  ApprovalDeps = ToolDeps,
  ValidatorDeps = ToolDeps,
  PrepareDeps = ToolDeps,
  PreviewDeps = ToolDeps,
> extends Omit<
    ToolOptions<ToolDeps, Schema, ApprovalDeps, ValidatorDeps, PrepareDeps, PreviewDeps>,
    'execute' | 'outputSchema'
  > {
  /** Creates the prompt of the agent; required with an `inputSchema`. */
  readonly prompt?:
    | ((
        args: DeepReadonly<InferOutput<Schema>>,
        ctx: ToolContext<ToolDeps>,
      ) => UserPrompt | Promise<UserPrompt>)
    | undefined;
}

/** The same options without the types of deps and arguments, which `asTool` has. */
export type AnyAgentToolOptions = AgentToolOptions<never, StandardSchema> & {
  readonly deps?: ((ctx: ToolContext<never>) => unknown) | undefined;
};

/** Options of a run of the sub-agent. */
interface SubAgentRunOptions {
  readonly deps: unknown;
  readonly messageHistory?: readonly Message[] | undefined;
  readonly deferredToolResults?: DeferredToolResults | undefined;
}

type RunAgent = (
  prompt: UserPrompt | undefined,
  options: SubAgentRunOptions,
  ctx: RunContext<never>,
) => Promise<RunResult | ParkedResult>;

const promptSchema = promptOnly();

/** Creates a tool that runs an agent. A call whose run is parked resumes that run. */
export function agentTool(
  agentName: string | undefined,
  options: AnyAgentToolOptions,
  runAgent: RunAgent,
  inside: SubAgentLookup,
): Tool<never> {
  const { prompt, deps, ...toolOptions } = options;
  const name = options.name ?? agentName;
  if (name === undefined) {
    throw new UserError('The agent has no name, which a tool requires. Pass `name` to `asTool`.');
  }
  if (options.inputSchema !== undefined && prompt === undefined) {
    throw new UserError(
      `Tool \`${name}\` has an \`inputSchema\`, so the agent needs a prompt made of the arguments. Pass \`prompt: (args) => …\` to \`asTool\`.`,
    );
  }
  const tool = new Tool<never>({
    ...toolOptions,
    name,
    inputSchema: options.inputSchema ?? promptSchema,
    async execute(args, ctx) {
      const resumption = resumptionOf(ctx);
      const runDeps = deps === undefined ? ctx.deps : await deps(ctx);
      const result =
        resumption === undefined
          ? await runAgent(await promptFor(prompt, args, ctx), { deps: runDeps }, ctx)
          : await runAgent(
              undefined,
              {
                deps: runDeps,
                messageHistory: resumption.messages,
                deferredToolResults: resumption.results,
              },
              ctx,
            );
      if (result.status === 'parked') throw new SubRunParked(result.messages, result.output);
      return result.output;
    },
  });
  registerAgentTool(tool, inside);
  return tool;
}

function promptFor(
  prompt: AnyAgentToolOptions['prompt'],
  args: unknown,
  ctx: ToolContext<never>,
): UserPrompt | Promise<UserPrompt> {
  // Without a function the arguments match `promptSchema`.
  if (prompt === undefined) return (args as { readonly prompt: string }).prompt;
  return prompt(args, ctx);
}

function promptOnly(): PromptSchema {
  const { '~standard': described } = fromJsonSchema<{ prompt: string }>({
    type: 'object',
    properties: { prompt: { type: 'string', description: 'The task of the agent.' } },
    required: ['prompt'],
    additionalProperties: false,
  });
  return {
    '~standard': {
      ...described,
      validate(value) {
        // The arguments of a tool are always an object.
        const { prompt, ...others } = value as { prompt?: unknown };
        const issues = Object.keys(others).map((key) => ({
          message: 'Unknown parameter.',
          path: [key],
        }));
        if (typeof prompt === 'string' && issues.length === 0) return { value: { prompt } };
        if (typeof prompt === 'string') return { issues };
        return { issues: [{ message: 'Expected a string.', path: ['prompt'] }, ...issues] };
      },
    },
  };
}
