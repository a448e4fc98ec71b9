import {
  Agent,
  type ApprovalDecision,
  approveAll,
  ApprovalRequired,
  decideByRules,
  CallDeferred,
  DeferredToolRequests,
  DeferredToolResults,
  chainHandlers,
  FunctionToolset,
  tool,
  ToolApproved,
  ToolDenied,
  ToolReturn,
  ToolExpired,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { fromAiSdkTools } from 'holdpoint/ai-sdk';
import { z } from 'zod';
import { untyped } from '../support/untyped.ts';
import type { Mistake, Probe } from './mistake.ts';

const undecided: readonly (readonly [shown: string, decision: () => unknown])[] = [
  ['`undefined`', () => undefined],
  ["`'no'`", () => 'no'],
  ['an object', () => ({})],
  ['`0`', () => 0],
  ['`null`', () => null],
  ['`undefined`', async () => undefined],
];

const isAsync = (decision: () => unknown): string =>
  decision.constructor.name === 'AsyncFunction' ? 'a promise of ' : '';

/** Functions for `requiresApproval` that do not return a boolean. */
export const PREDICATE_MISTAKES: readonly Mistake[] = undecided.flatMap(([shown, decision]) => [
  {
    name: `\`requiresApproval\` of a tool that returns ${isAsync(decision)}${shown}`,
    make: (probe: Probe) => {
      const requiresApproval = untyped<() => boolean>(decision);
      return probe.run(tool({ name: 'wipe', requiresApproval, execute: probe.execute }));
    },
    error: ['`requiresApproval` of tool `wipe` returned', shown, 'The call was not executed'],
  },
  {
    name: `\`requiresApproval\` of a function toolset that returns ${isAsync(decision)}${shown}`,
    make: (probe: Probe) => {
      const requiresApproval = untyped<() => boolean>(decision);
      const toolset = new FunctionToolset([probe.wipe], { requiresApproval });
      return new Agent({ model: probe.model(), toolsets: [toolset] }).run('Go.');
    },
    error: ['`requiresApproval`', 'returned', shown, 'The call was not executed'],
  },
  {
    name: `\`approvalRequired\` with a policy that returns ${isAsync(decision)}${shown}`,
    make: (probe: Probe) => {
      const toolset = new FunctionToolset([probe.wipe]).approvalRequired(untyped<never>(decision));
      return new Agent({ model: probe.model(), toolsets: [toolset] }).run('Go.');
    },
    error: ['policy', '`wipe`', 'returned', shown, 'The call was not executed'],
  },
  {
    name: `\`approvalPolicy\` of an agent that returns ${isAsync(decision)}${shown}`,
    make: (probe: Probe) => {
      const approvalPolicy = untyped<() => boolean>(decision);
      return new Agent({ model: probe.model(), tools: [probe.wipe], approvalPolicy }).run('Go.');
    },
    error: ['policy', '`wipe`', 'returned', shown, 'The call was not executed'],
  },
  {
    name: `\`needsApproval\` of an AI SDK tool that returns ${isAsync(decision)}${shown}`,
    make: (probe: Probe) => {
      const wipe = {
        inputSchema: z.object({}),
        needsApproval: decision,
        execute: probe.execute,
      };
      return new Agent({ model: probe.model(), ...fromAiSdkTools({ wipe }) }).run('Go.');
    },
    error: ['`needsApproval`', '`wipe`', 'returned', shown, 'The call was not executed'],
  },
]);

/** Other mistakes around policies and handlers. */
export const HANDLER_MISTAKES: readonly Mistake[] = [
  {
    name: '`approvalRequired` with something that is no function',
    make: ({ wipe }) => new FunctionToolset([wipe]).approvalRequired(untyped<never>(false)),
    error: ['`approvalRequired`', '`false`', 'Pass a function'],
  },
  {
    name: '`filtered` with a function that returns no boolean',
    make: (probe) => {
      const toolset = new FunctionToolset([probe.wipe]).filtered(untyped<never>(() => 'yes'));
      return new Agent({ model: probe.model(), toolsets: [toolset] }).run('Go.');
    },
    error: ['selector', '`wipe`', "'yes'"],
  },
  {
    name: '`filtered` with the name of a tool in place of a list of names',
    make: ({ wipe }) => new FunctionToolset([wipe]).filtered(untyped<never>('wipe')),
    error: ['selector', "'wipe'", "Pass `'all'`"],
  },
  {
    name: '`prepared` with something that is no function',
    make: ({ wipe }) => new FunctionToolset([wipe]).prepared(untyped<never>([])),
    error: ['`prepared`', 'an array', 'Pass a function'],
  },
  {
    name: '`needsApproval` of an AI SDK tool that is neither a boolean nor a function',
    make: (probe) => {
      const wipe = untyped<object>({
        inputSchema: z.object({}),
        needsApproval: 'yes',
        execute: probe.execute,
      });
      return new Agent({ model: probe.model(), ...fromAiSdkTools({ wipe }) }).run('Go.');
    },
    error: ['`needsApproval`', '`wipe`', "'yes'"],
  },
  {
    name: 'a rule with a misspelled member',
    make: () =>
      decideByRules(untyped<never>([{ tool: 'wipe', arguments: () => false, decision: true }])),
    error: ['Unknown option `arguments` of rule 0', 'Did you mean `args`?'],
  },
  {
    name: '`approveAll` as a handler without calling it',
    make: (probe) => handled(probe, untyped<never>(approveAll)),
    error: 'DeferredToolResults',
  },
  {
    name: 'a handler that returns `true`',
    make: (probe) =>
      handled(
        probe,
        untyped<never>(() => true),
      ),
    error: 'DeferredToolResults',
  },
  {
    name: '`chainHandlers` with something that is no handler',
    make: () => chainHandlers(untyped<never>({ handle() {} })),
    error: ['`chainHandlers`', 'an object', 'Pass a function'],
  },
  {
    name: '`handleDeferredToolCalls` with something that is no handler',
    make: () => handleDeferredToolCalls(untyped<never>(true)),
    error: ['`handleDeferredToolCalls`', '`true`', 'Pass a function'],
  },
];

function handled(probe: Probe, deferredToolHandler: () => undefined): unknown {
  return new Agent({ model: probe.model(), tools: [probe.guarded], deferredToolHandler }).run(
    'Go.',
  );
}

const build = (name: string, known: string, value: unknown = true): Mistake => ({
  name: `\`${name}\` of \`buildResults\``,
  make: async (probe) => {
    const { result, resume } = await probe.parked();
    return resume(result.output.buildResults(untyped<never>({ [name]: value })));
  },
  error: `Unknown option \`${name}\` of \`buildResults\`. Did you mean \`${known}\`?`,
});

/** Resumes a parked run with this decision. */
async function decide(probe: Probe, decision: ApprovalDecision): Promise<unknown> {
  const { result, resume } = await probe.parked();
  return resume(result.output.buildResults({ approvals: { 'call-1': decision } }));
}

/** Mistakes in decisions and results. */
export const RESULT_MISTAKES: readonly Mistake[] = [
  {
    name: 'decisions that are promises',
    make: async (probe) => {
      const { result, resume } = await probe.parked();
      const decisions = [...result.output].map(async (call) => call.approve());
      return resume(result.output.buildResults(untyped<never>(decisions)));
    },
    error: ['An entry of the decisions is a promise.', 'Did you forget `await`?'],
  },
  {
    name: '`true` in a list of decisions',
    make: async (probe) => {
      const { result, resume } = await probe.parked();
      return resume(result.output.buildResults(untyped<never>([true])));
    },
    error: ['An entry of the decisions is `true`.', '`approve()`'],
  },
  build('approve_all', 'approveAll'),
  build('approval', 'approvals', {}),
  build('approveall', 'approveAll'),
  {
    name: '`approveAll` of `buildResults` that is a text',
    make: async (probe) => {
      const { result, resume } = await probe.parked();
      return resume(result.output.buildResults(untyped<never>({ approveAll: 'false' })));
    },
    error: ['`approveAll`', '`buildResults`', "'false'"],
  },
  {
    name: '`approvals` of `buildResults` that is a list',
    make: async (probe) => {
      const { result, resume } = await probe.parked();
      return resume(result.output.buildResults(untyped<never>({ approvals: ['call-1'] })));
    },
    error: ['`approvals`', '`buildResults`', 'an array'],
  },
  {
    name: 'a promise in place of the answers of `buildResults`',
    make: async (probe) => {
      const { result } = await probe.parked();
      return result.output.buildResults(untyped<never>(Promise.resolve({})));
    },
    error: ['`buildResults`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'an unknown option of `DeferredToolResults`',
    make: () => new DeferredToolResults(untyped<never>({ approval: { 'call-1': true } })),
    error: 'Unknown option `approval` of `DeferredToolResults`. Did you mean `approvals`?',
  },
  {
    name: 'an unknown option of `DeferredToolRequests`',
    make: () => new DeferredToolRequests(untyped<never>({ approval: [] })),
    error: 'Unknown option `approval` of `DeferredToolRequests`. Did you mean `approvals`?',
  },
  {
    name: 'edited arguments without `overrideArgs`',
    make: (probe) => decide(probe, new ToolApproved(untyped<never>({ path: 'b' }))),
    error: [
      'Unknown option `path` of `ToolApproved`.',
      'Did you mean `overrideArgs: { path: … }`?',
    ],
  },
  {
    name: '`override_args` of `ToolApproved`',
    make: () => new ToolApproved(untyped<never>({ override_args: {} })),
    error: 'Unknown option `override_args` of `ToolApproved`. Did you mean `overrideArgs`?',
  },
  {
    name: '`args` of `ToolApproved`',
    make: () => new ToolApproved(untyped<never>({ args: {} })),
    error: 'Unknown option `args` of `ToolApproved`. Did you mean `overrideArgs`?',
  },
  {
    name: '`overrideArgs` that is JSON text',
    make: (probe) => decide(probe, new ToolApproved(untyped<never>({ overrideArgs: '{}' }))),
    error: [
      'A decision in `approvals` must be',
      '`ToolApproved` (with `overrideArgs` and `approval` as objects)',
    ],
  },
  {
    name: '`ToolApproved` made from a boolean',
    make: () => new ToolApproved(untyped<never>(false)),
    error: ['The options of `ToolApproved` are `false`', 'Pass an object'],
  },
  {
    name: '`reason` of `ToolDenied`',
    make: () => new ToolDenied(untyped<never>({ reason: 'no' })),
    error: 'Unknown option `reason` of `ToolDenied`. Did you mean `message`?',
  },
  {
    name: '`ToolDenied` made from a number',
    make: (probe) => decide(probe, new ToolDenied(untyped<never>(5))),
    error: ['A decision in `approvals` must be', '`ToolDenied` or `ModelRetry` (with a text)'],
  },
  {
    name: 'an unknown option beside `returnValue` of `ToolReturn`',
    make: () => new ToolReturn(untyped<never>({ returnValue: 1, contents: 'x' })),
    error: 'Unknown option `contents` of `ToolReturn`. Did you mean `content`?',
  },
  {
    name: 'a value beside an option name of `ToolReturn`',
    make: () => new ToolReturn(untyped<never>({ content: 'x', path: 'y' })),
    error: ['Unknown option `path` of `ToolReturn`', '`returnValue`'],
  },
  {
    name: '`ToolReturn` without `returnValue`',
    make: () => new ToolReturn(untyped<never>({ content: 'x' })),
    error: ['`ToolReturn`', 'no `returnValue`'],
  },
  {
    name: 'metadata beside `metadata` of `ApprovalRequired`',
    make: () => new ApprovalRequired(untyped<never>({ metadata: {}, reason: 'x' })),
    error: ['Unknown option `reason` of `ApprovalRequired`', '`metadata`'],
  },
  {
    name: '`metadata` of `ApprovalRequired` that is a text',
    make: () => new ApprovalRequired(untyped<never>({ metadata: 'x' })),
    error: ['`metadata`', '`ApprovalRequired`', "'x'"],
  },
  {
    name: '`ApprovalRequired` made from a text',
    make: () => new ApprovalRequired(untyped<never>('It matters.')),
    error: ['`metadata`', '`ApprovalRequired`', "'It matters.'"],
  },
  {
    name: '`CallDeferred` made from a text',
    make: () => new CallDeferred(untyped<never>('job-7')),
    error: ['`metadata`', '`CallDeferred`', "'job-7'"],
  },
  {
    name: 'a message of `ToolExpired` that is no text',
    make: (probe) => decide(probe, new ToolExpired(untyped<never>(1))),
    error: [
      'A decision in `approvals` must be',
      '`ToolExpired` or `ToolSuperseded` (with a text or none)',
    ],
  },
  {
    name: 'an unknown option of `ToolExpired`',
    make: () => new ToolExpired(untyped<never>({ text: 'x' })),
    error: 'Unknown option `text` of `ToolExpired`.',
  },
  {
    name: 'the class `ToolDenied` as a decision',
    make: (probe) => decide(probe, untyped<never>(ToolDenied)),
    error: 'ToolDenied',
  },
  {
    name: 'the class `ToolApproved` as a decision',
    make: (probe) => decide(probe, untyped<never>(ToolApproved)),
    error: 'ToolApproved',
  },
  {
    name: 'a promise as a decision',
    make: (probe) => decide(probe, untyped<never>(Promise.resolve(false))),
    error: 'approvals',
  },
  {
    name: 'results that are a promise',
    make: async (probe) => {
      const { result, resume } = await probe.parked();
      const results = result.output.buildResults({ approveAll: true });
      return resume(untyped<never>(Promise.resolve(results)));
    },
    error: ['a promise', 'Did you forget `await`?'],
  },
];
