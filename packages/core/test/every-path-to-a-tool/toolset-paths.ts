import {
  type AbstractToolset,
  CombinedToolset,
  DynamicToolset,
  FunctionToolset,
  type RunContext,
  type Tool,
  type Toolset,
  tool,
  WrapperToolset,
} from 'holdpoint';
import { toolSearch } from 'holdpoint/capabilities';
import { type ToolMap, type ToolsetTool, WrappedTool } from 'holdpoint/toolsets';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { probeAgent } from '../guarantees/examples/probe.ts';
import { resumeWith, callTo, type Path } from './path.ts';

/** The guarded tool in a transformed toolset. */
const inToolset = (change: (toolset: FunctionToolset) => Toolset, name = 'guarded'): Path => ({
  take: async ({ tool: guarded }, said) => {
    const agent = probeAgent([callTo(name)], {
      toolsets: [change(new FunctionToolset([guarded], { id: 'own' }))],
    });
    await resumeWith(agent, agent.run('Go.'), said);
  },
});

/** A definition that drops the approval requirement. */
const open = (definition: ToolsetTool['definition']) => ({
  ...definition,
  kind: 'function' as const,
});

/** A hidden tool is searched for first. */
const searchedFor = (hide: (toolset: FunctionToolset) => Toolset): Path => ({
  take: async ({ tool: guarded }, said) => {
    const search = calls('search_tools', { queries: ['guarded matters'] }, { id: 's' });
    const agent = probeAgent([search, callTo()], {
      toolsets: [hide(new FunctionToolset([guarded]))],
      capabilities: [toolSearch({ native: false })],
    });
    await resumeWith(agent, agent.run('Go.'), said);
  },
});

/** A wrapper toolset that overrides only the execution. */
class CarelessToolset extends WrapperToolset {
  protected override wrap(wrapped: Toolset): Toolset {
    return new CarelessToolset(wrapped);
  }

  override async getTools(ctx: RunContext): Promise<ToolMap> {
    const tools = new Map<string, ToolsetTool>();
    for (const [name, inner] of await super.getTools(ctx)) {
      tools.set(name, {
        definition: open(inner.definition),
        executor: inner.executor,
        maxRetries: undefined,
        check: (args) => inner.check(args),
        validate: (args, own) => inner.validate(args, own),
        needsApproval: () => false,
        execute: (permit, own) => inner.execute(permit, own),
      });
    }
    return tools;
  }
}

/** Paths through toolsets. Each transform path has the name of its method. */
export const toolsetPaths: Readonly<Record<string, Path>> = {
  'toolset.prefixed': inToolset((toolset) => toolset.prefixed('my'), 'my_guarded'),
  'toolset.renamed': inToolset((toolset) => toolset.renamed({ other: 'guarded' }), 'other'),
  'toolset.filtered': inToolset((toolset) => toolset.filtered(() => true)),
  'toolset.prepared': inToolset((toolset) =>
    toolset.prepared((_ctx, definitions) => definitions.map(open)),
  ),
  'toolset.withMetadata': inToolset((toolset) => toolset.withMetadata({ safe: true })),
  'toolset.includeReturnSchemas': inToolset((toolset) => toolset.includeReturnSchemas()),
  'toolset.deferLoading': searchedFor((toolset) => toolset.deferLoading()),
  'toolset.approvalRequired': {
    hasOwnGuard: true,
    take: async ({ ran }, said) => {
      const free: Tool = tool({ name: 'free', execute: ran });
      // The transforms inside and around it do not support questions.
      const toolset = new FunctionToolset([free])
        .prefixed('a')
        .approvalRequired()
        .renamed({ b: 'a_free' });
      const agent = probeAgent([calls('b', {}, { id: 'g' })], { toolsets: [toolset] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'class FunctionToolset': inToolset((toolset) => toolset),
  'class CombinedToolset': inToolset((toolset) => new CombinedToolset([toolset])),
  'class DynamicToolset': inToolset((toolset) => new DynamicToolset(() => toolset)),
  'class WrapperToolset': {
    // The gate has no approval requirement, so the tool itself rejects the call.
    neverRuns: ['always', 'call by call'],
    take: async ({ tool: guarded }, said) => {
      const careless = new CarelessToolset(new FunctionToolset([guarded]));
      const agent = probeAgent([callTo()], { toolsets: [careless] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'class WrappedTool': {
    take: async ({ tool: guarded }, said) => {
      const toolset = new FunctionToolset([guarded]).changed({
        name: 'opened',
        perStep: false,
        apply: (tools) =>
          new Map(
            [...tools].map(([name, one]) => [name, new WrappedTool(one, open(one.definition))]),
          ),
      });
      const agent = probeAgent([callTo()], { toolsets: [toolset] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'a factory among the toolsets': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], {
        toolsets: [() => new FunctionToolset([guarded])],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'a toolset of the run': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], {});
      const toolsets = [new FunctionToolset([guarded])];
      const result = await agent.run('Go.', { toolsets });
      if (result.status === 'finished' || said === 'nothing') return;
      const { messages, output } = result;
      const approvals = { g: said === 'yes' };
      await agent.resume({ messages }, output.buildResults({ approvals }), { toolsets });
    },
  },
  'tool search, local': searchedFor((toolset) => toolset.deferLoading()),
  'tool search, not searched for': {
    neverRuns: true,
    isBlocked: true,
    take: async ({ tool: guarded }, said) => {
      const toolset = new FunctionToolset([guarded]).deferLoading();
      const agent = probeAgent([callTo()], { toolsets: [toolset] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'tool search, native': {
    take: async ({ tool: guarded }, said) => {
      const search = { toolName: 'tool_search', toolCallId: 's', toolKind: 'tool-search' } as const;
      const found = responds(
        { kind: 'native-tool-call', ...search, args: {}, providerName: 'test' },
        {
          kind: 'native-tool-return',
          ...search,
          outcome: 'success',
          content: { discovered_tools: [{ name: 'guarded' }] },
          providerName: 'test',
        },
        callTo(),
      );
      const model = functionModel(
        ({ messages }) =>
          messages.some(({ kind }) => kind === 'response') ? says('Done.') : found,
        { supportsNative: ['tool-search'] },
      );
      const agent = probeAgent([], { toolsets: [new FunctionToolset([guarded]).deferLoading()] });
      await agent.override({ model }, () => resumeWith(agent, agent.run('Go.'), said));
    },
  },
};

/** The methods that return a transformed toolset. Other methods do not change its tools. */
export function formsOf(prototype: AbstractToolset): readonly string[] {
  const others = ['constructor', 'id', 'changed', 'find'];
  return Object.getOwnPropertyNames(prototype).filter((name) => !others.includes(name));
}
