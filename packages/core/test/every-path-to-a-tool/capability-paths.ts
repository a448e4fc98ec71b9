import { type Capability, FunctionToolset, type Tool } from 'holdpoint';
import {
  handleDeferredToolCalls,
  includeReturnSchemas,
  nativeTool,
  prefixTools,
  prepareTools,
  processHistory,
  setToolMetadata,
  toolSearch,
} from 'holdpoint/capabilities';
import { calls } from 'holdpoint/testing';
import { probeAgent } from '../guarantees/examples/probe.ts';
import { resumeWith, decisionsFor, callTo, type Path } from './path.ts';

/** A run with a capability, which contributes the guarded tool or leaves it to the agent. */
const withCapability = (
  make: (guarded: Tool) => Capability,
  { name = 'guarded', brings = false } = {},
): Path => ({
  take: async ({ tool: guarded }, said) => {
    const agent = probeAgent([callTo(name)], {
      tools: brings ? [] : [guarded],
      capabilities: [make(guarded)],
    });
    await resumeWith(agent, agent.run('Go.'), said);
  },
});

const hooked = (hooks: Omit<Capability, 'name'>): Path =>
  withCapability(() => ({ name: 'hooked', ...hooks }));

const contributed = { brings: true };

/** Paths through the hooks and contributions of capabilities. Each hook path has the name of its hook. */
export const capabilityPaths: Readonly<Record<string, Path>> = {
  'hook wrapRun': hooked({ wrapRun: (next) => next() }),
  'hook wrapModelRequest': hooked({ wrapModelRequest: (call, next) => next(call) }),
  // The hook validates the arguments twice; it cannot permit the call.
  'hook wrapToolValidation': hooked({
    async wrapToolValidation({ args }, next) {
      await next(args);
      await next(args);
    },
  }),
  // The hook tries to execute the call twice, and ignores errors.
  'hook wrapToolExecution': hooked({
    async wrapToolExecution(_call, next) {
      const result = await next();
      await next().catch(() => {});
      return result;
    },
  }),
  'hook wrapOutput': hooked({ wrapOutput: (value, next) => next(value) }),
  'hook onEvent': hooked({ onEvent: () => {} }),
  'hook handleDeferredToolCalls': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], {
        tools: [guarded],
        capabilities: [
          {
            name: 'answering',
            handleDeferredToolCalls: (requests) =>
              said === 'nothing' ? undefined : decisionsFor(requests, said),
          },
        ],
      });
      await agent.run('Go.');
    },
  },
  'hooks made for the run': hooked({
    forRun: () => ({ wrapToolExecution: (_call, next) => next() }),
  }),
  'tools of a capability': withCapability(
    (guarded) => ({ name: 'own', tools: [guarded] }),
    contributed,
  ),
  'toolsets of a capability': withCapability(
    (guarded) => ({ name: 'own', toolsets: [new FunctionToolset([guarded])] }),
    contributed,
  ),
  'a capability that changes all tools': withCapability(() => ({
    name: 'changing',
    changeTools: (tools) => tools.withMetadata({ safe: true }),
  })),
  'provided handle-deferred-tool-calls': {
    take: async ({ tool: guarded }, said) => {
      const deciding = handleDeferredToolCalls((requests) =>
        said === 'nothing' ? undefined : decisionsFor(requests, said),
      );
      await probeAgent([callTo()], { tools: [guarded], capabilities: [deciding] }).run('Go.');
    },
  },
  'provided include-return-schemas': withCapability(() => includeReturnSchemas()),
  'provided native-tool': withCapability(() =>
    nativeTool({ kind: 'web-search', optional: true } as Parameters<typeof nativeTool>[0]),
  ),
  'provided prefix-tools': withCapability(
    (guarded) => prefixTools('my', { name: 'own', tools: [guarded] }),
    { name: 'my_guarded', brings: true },
  ),
  'provided prepare-tools': withCapability(() =>
    prepareTools((_ctx, definitions) =>
      definitions.map((definition) => ({ ...definition, kind: 'function' as const })),
    ),
  ),
  'provided process-history': withCapability(() => processHistory((messages) => messages)),
  'provided set-tool-metadata': withCapability(() => setToolMetadata({ safe: true })),
  'provided tool-search': {
    take: async ({ tool: guarded }, said) => {
      const search = calls('search_tools', { queries: ['guarded matters'] }, { id: 's' });
      const agent = probeAgent([search, callTo()], {
        toolsets: [new FunctionToolset([guarded]).deferLoading()],
        capabilities: [toolSearch({ maxResults: 1, native: false })],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
};
