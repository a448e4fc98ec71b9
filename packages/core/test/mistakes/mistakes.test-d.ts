import {
  Agent,
  decideByRules,
  ApprovalRequired,
  CallDeferred,
  DeferredToolRequests,
  DeferredToolResults,
  DynamicToolset,
  ExternalToolset,
  FunctionToolset,
  inherit,
  MemoryLedger,
  tool,
  ToolApproved,
  ToolDenied,
  ToolReturn,
  ToolExpired,
} from 'holdpoint';
import { fromAiSdkTools } from 'holdpoint/ai-sdk';
import { mcpStdio } from 'holdpoint/mcp';
import { sealedRuns } from 'holdpoint/sealed';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const execute = () => 'Wiped.';
const wipe = tool({ name: 'wipe', execute });
const agent = new Agent({ model: 'openai:gpt-5', tools: [wipe] });

describe('mistakes that TypeScript reports', () => {
  it('are unknown options of a tool', () => {
    // @ts-expect-error: the AI SDK calls it `needsApproval`
    tool({ name: 'wipe', needsApproval: true, execute });
    // @ts-expect-error: the option is `inputSchema`
    tool({ name: 'wipe', parameters: z.object({}), execute });
    // @ts-expect-error: snake case
    tool({ name: 'wipe', requires_approval: true, execute });
  });

  it('are missing or mistyped options of a tool', () => {
    // @ts-expect-error: `execute` is missing
    tool({ name: 'wipe' });
    // @ts-expect-error: not a boolean
    tool({ name: 'wipe', requiresApproval: 'yes', execute });
    // @ts-expect-error: the function returns nothing
    tool({ name: 'wipe', requiresApproval: () => {}, execute });
    // @ts-expect-error: a record of schemas is no schema
    tool({ name: 'wipe', inputSchema: { path: z.string() }, execute });
  });

  it('are unknown or mistyped options of an agent', () => {
    // @ts-expect-error: no options
    expectTypeOf(() => new Agent()).toBeFunction();
    // @ts-expect-error: an agent has `approvalPolicy`
    expectTypeOf(() => new Agent({ needsApproval: true })).toBeFunction();
    // @ts-expect-error: a toolset is no list of tools
    expectTypeOf(() => new Agent({ tools: new FunctionToolset([wipe]) })).toBeFunction();
    // @ts-expect-error: a plain function is no tool
    expectTypeOf(() => new Agent({ tools: [execute] })).toBeFunction();
    // @ts-expect-error: a promise of a model
    expectTypeOf(() => new Agent({ model: Promise.resolve('openai:gpt-5') })).toBeFunction();
    // @ts-expect-error: a handler is a function
    expectTypeOf(() => new Agent({ deferredToolHandler: { handle() {} } })).toBeFunction();
    // @ts-expect-error: a policy decides with a boolean
    expectTypeOf(() => new Agent({ approvalPolicy: () => undefined })).toBeFunction();
  });

  it('are unknown or mistyped arguments of a run', () => {
    // @ts-expect-error: snake case
    expectTypeOf(() => agent.run('Go.', { message_history: [] })).toBeFunction();
    // @ts-expect-error: a promise
    expectTypeOf(() => agent.run('Go.', { messageHistory: Promise.resolve([]) })).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error: a promise of a parked run
      agent.resume(agent.run('Go.'), new DeferredToolResults()),
    ).toBeFunction();
    // @ts-expect-error: the option is `model`
    expectTypeOf(() => agent.override({ models: 'test' }, async () => {})).toBeFunction();
    // @ts-expect-error: the option is `requiresApproval`
    expectTypeOf(() => agent.asTool({ needsApproval: true })).toBeFunction();
  });

  it('are unknown or mistyped options of toolsets', () => {
    // @ts-expect-error: the option is `requiresApproval`
    expectTypeOf(() => new FunctionToolset([wipe], { needsApproval: true })).toBeFunction();
    // @ts-expect-error: a policy is a function
    expectTypeOf(() => new FunctionToolset([wipe]).approvalRequired(true)).toBeFunction();
    // @ts-expect-error: the option is `perRunStep`
    expectTypeOf(() => new DynamicToolset(() => null, { per_run_step: true })).toBeFunction();
    // @ts-expect-error: the member is `parametersJsonSchema`
    expectTypeOf(() => new ExternalToolset([{ name: 'pay', inputSchema: {} }])).toBeFunction();
    // @ts-expect-error: the option is `share`
    expectTypeOf(() => inherit('disk', { shared: true })).toBeFunction();
    // @ts-expect-error: the option is `requiresApproval`
    expectTypeOf(() => fromAiSdkTools({}, { needsApproval: true })).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error: the option is `withoutApproval`
      mcpStdio({ id: 'disk', command: 'disk', without_approval: 'all' }),
    ).toBeFunction();
  });

  it('are unknown or mistyped decisions and results', () => {
    const requests = new DeferredToolRequests({});
    // @ts-expect-error: snake case
    expectTypeOf(() => requests.buildResults({ approve_all: true })).toBeFunction();
    // @ts-expect-error: edited arguments belong into `overrideArgs`
    expectTypeOf(() => new ToolApproved({ path: 'b' })).toBeFunction();
    // @ts-expect-error: the option is `message`
    expectTypeOf(() => new ToolDenied({ reason: 'no' })).toBeFunction();
    // @ts-expect-error: the option is `content`
    expectTypeOf(() => new ToolReturn({ returnValue: 1, contents: 'x' })).toBeFunction();
    // @ts-expect-error: a value with an option as a member goes into `returnValue`
    expectTypeOf(() => new ToolReturn({ content: 'x', path: 'y' })).toBeFunction();
    // @ts-expect-error: metadata is an object
    expectTypeOf(() => new ApprovalRequired('It matters.')).toBeFunction();
    // @ts-expect-error: metadata is an object
    expectTypeOf(() => new CallDeferred('job-7')).toBeFunction();
    // @ts-expect-error: the option does not exist
    expectTypeOf(() => new ToolExpired({ reason: 'late' })).toBeFunction();
    // @ts-expect-error: the option is `approvals`
    expectTypeOf(() => new DeferredToolResults({ approval: {} })).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error: the member is `args`
      decideByRules([{ tool: 'wipe', arguments: () => false, decision: true }]),
    ).toBeFunction();
  });

  it('are unknown options of ledgers and sealed runs', () => {
    // @ts-expect-error: the option is `retention`
    expectTypeOf(() => new MemoryLedger({ retain: 5 })).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error: the option is `allowReplay`
      sealedRuns({ keys: {}, audience: 'shop', expiresIn: 60_000, allowReplays: true }),
    ).toBeFunction();
  });
});

describe('forms that TypeScript accepts', () => {
  it('are the bare value and the options of signals and decisions', () => {
    expectTypeOf(new ToolReturn('text')).toExtend<ToolReturn<string>>();
    expectTypeOf(new ToolReturn({ returnValue: 5 })).toEqualTypeOf<ToolReturn<number>>();
    expectTypeOf(new ToolReturn({ ok: true })).toEqualTypeOf<ToolReturn<{ ok: boolean }>>();
    expectTypeOf(new ApprovalRequired({ metadata: { reason: 'x' } })).toExtend<Error>();
    expectTypeOf(new ApprovalRequired({ reason: 'x' })).toExtend<Error>();
    expectTypeOf(new ToolDenied({ message: 'No.' })).toExtend<ToolDenied>();
    expectTypeOf(new ToolDenied('No.')).toExtend<ToolDenied>();
  });
});
