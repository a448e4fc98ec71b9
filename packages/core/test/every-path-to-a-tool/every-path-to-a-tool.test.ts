import * as holdpoint from 'holdpoint';
import * as toolsets from 'holdpoint/toolsets';
import {
  AbstractToolset,
  Agent,
  DeferredToolRequests,
  FunctionToolset,
  GateError,
  InputRequired,
  tool,
} from 'holdpoint';
import { WrappedTool } from 'holdpoint/toolsets';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { probeAgent } from '../guarantees/examples/probe.ts';
import { expectParked } from '../support/deferral.ts';
import { present } from '../support/present.ts';
import { isTest, readSourceFiles, visitNodes } from '../support/source-files.ts';
import { agentPaths } from './agent-paths.ts';
import { capabilityPaths } from './capability-paths.ts';
import { delegationPaths } from './delegation-paths.ts';
import { integrationPaths } from './integration-paths.ts';
import { callTo, GUARDS, guardedTool, type Said } from './path.ts';
import { formsOf, toolsetPaths } from './toolset-paths.ts';

const paths = {
  ...agentPaths,
  ...toolsetPaths,
  ...capabilityPaths,
  ...delegationPaths,
  ...integrationPaths,
};

describe.each(Object.entries(paths))('%s', (_name, path) => {
  const { take, neverRuns, hasOwnGuard, isBlocked } = path;

  // A path that is itself a guard has no tool without one.
  const itLeads = hasOwnGuard ? () => {} : it;
  itLeads('executes a tool that needs no approval', async () => {
    const open = guardedTool('not at all');
    // The run has no pending calls, so paths that resume a parked run fail afterwards.
    await take(open, 'yes').catch(() => {});

    expect(open.runs()).toBe(isBlocked ? 0 : 1);
  });

  itLeads('gives the tool a context with the call and an idempotency key', async () => {
    const open = guardedTool('not at all');
    await take(open, 'yes').catch(() => {});

    expect(open.contexts.map((ctx) => typeof ctx.toolCallId)).not.toContain('undefined');
    expect(open.contexts.map((ctx) => typeof ctx.toolName)).not.toContain('undefined');
    expect(open.contexts.map((ctx) => typeof ctx.idempotencyKey)).not.toContain('undefined');
  });

  it.each(hasOwnGuard ? GUARDS.slice(0, 1) : GUARDS)(
    'executes a call that needs approval only if it is approved, and then once: %s',
    async (guard) => {
      const never = neverRuns === true || neverRuns?.includes(guard);
      const runsAfter = async (said: Said) => {
        const guarded = guardedTool(guard);
        // A path without an approver may end in an error, as long as the tool does not execute.
        const problem = await take(guarded, said).then(
          () => undefined,
          (error: unknown) => error,
        );
        return { runs: guarded.runs(), problem };
      };

      expect(await runsAfter('nothing')).toMatchObject({ runs: 0 });
      expect(await runsAfter('no')).toMatchObject({ runs: 0 });
      expect(await runsAfter('yes')).toMatchObject(
        never ? { runs: 0 } : { runs: 1, problem: undefined },
      );
    },
  );
});

describe('a wrapper that leaves out the validator of a tool', () => {
  it('skips the approval that only the validator requires', async () => {
    const guarded = guardedTool('when it is checked');
    class Unchecked extends WrappedTool<unknown> {
      override validate(): void {}
    }
    const toolset = new FunctionToolset([guarded.tool]).changed({
      name: 'unchecked',
      perStep: false,
      apply: (tools) =>
        new Map([...tools].map(([name, one]) => [name, new Unchecked(one, one.definition)])),
    });

    await probeAgent([callTo()], { toolsets: [toolset] }).run('Go.');

    expect(guarded.runs()).toBe(1);
  });
});

describe('a wrapper that leaves out the approval check of a tool', () => {
  it('cannot execute a call that has only an input for a question', async () => {
    let runs = 0;
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ euros: z.number() }),
      requiresApproval: () => true,
      argsValidator(_args, ctx) {
        if (ctx.input !== undefined) return;
        throw new InputRequired({ message: 'Which account?', schema: { type: 'string' } });
      },
      execute: () => {
        runs += 1;
        return 'paid';
      },
    });
    class Careless extends WrappedTool<unknown> {
      override needsApproval(): boolean {
        return false;
      }
    }
    const toolset = new FunctionToolset([pay]).changed({
      name: 'careless',
      perStep: false,
      apply: (tools) =>
        new Map([...tools].map(([name, one]) => [name, new Careless(one, one.definition)])),
    });
    const model = scriptedModel(calls('pay', { euros: 5 }), says('Paid.'));
    const output = [String, DeferredToolRequests] as const;
    const agent = new Agent({ model, toolsets: [toolset], output });
    const parked = await expectParked(agent.run('Pay.'));
    const responses = [...parked.output].map((call) => call.respond('A'));

    const resumed = agent.resume(parked, parked.output.buildResults(responses));

    await expect(resumed).rejects.toThrow(GateError);
    expect(runs).toBe(0);
  });
});

describe('the list of paths', () => {
  const files = readSourceFiles().filter(({ path }) => !isTest(path));
  const listed = (names: readonly string[]) => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !Object.hasOwn(paths, name))).toEqual([]);
  };

  it('contains every required path', () => {
    listed([
      'agent.run',
      'parallel',
      'sequential',
      'retried by the model',
      'agent.resume',
      'inline, with a handler',
      'edited arguments',
      'toolset.prefixed',
      'class DynamicToolset',
      'tool search, local',
      'tool search, native',
      'integration mcp',
      'ctx.toolManager',
      'agent.asTool',
      'agent.run with parent: ctx',
      'an inherited toolset',
      'integration ai-sdk',
    ]);
  });

  it('contains every method that runs an agent', () => {
    const methods = Object.getOwnPropertyNames(Agent.prototype);

    listed(methods.filter((name) => name !== 'constructor').map((name) => `agent.${name}`));
  });

  it('contains every wrapper and every class of toolsets', () => {
    const classes = Object.entries({ ...holdpoint, ...toolsets }).filter(
      ([, value]) =>
        typeof value === 'function' &&
        (value.prototype instanceof AbstractToolset || value === WrappedTool),
    );

    listed(formsOf(AbstractToolset.prototype).map((name) => `toolset.${name}`));
    // External tools have no function to execute.
    const running = classes.filter(([name]) => name !== 'ExternalToolset');
    listed(running.map(([name]) => `class ${name}`));
  });

  it('contains every hook of capabilities', () => {
    const hooks: string[] = [];
    const file = present(files.find(({ path }) => path === 'capabilities/capability.ts'));
    visitNodes(file, (node) => {
      const owner = node.parent;
      if (!ts.isPropertySignature(node) || !ts.isInterfaceDeclaration(owner)) return;
      if (owner.name.text === 'CapabilityHooks') hooks.push(node.name.getText());
    });

    listed(hooks.map((name) => `hook ${name}`));
  });

  it('contains every provided capability and every integration', () => {
    const inFolder = (folder: string) =>
      files.flatMap(({ path }) =>
        path.startsWith(`${folder}/`) ? [present(path.split('/')[1])] : [],
      );

    const provided = present(files.find(({ path }) => path === 'capabilities/provided.ts'));
    const names = [...provided.text.matchAll(/^export function (\w+)/gm)].map(([, name]) =>
      present(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    listed(names.map((name) => `provided ${name}`));
    // The other folders have code that several integrations share.
    const isEntry = (name: string) =>
      files.some(({ path }) => path === `integrations/${name}/index.ts`);
    const integrations = [...new Set(inFolder('integrations'))].filter(isEntry);
    listed(integrations.map((name) => `integration ${name}`));
  });

  it('covers every caller of the gate: deferred calls, batches of calls, and tools that call others', () => {
    const callers = files.filter(({ text }) => /\badmit[<(]/.test(text)).map(({ path }) => path);

    expect(callers).toEqual([
      'execution/execute-batch.ts',
      'execution/tool-manager.ts',
      'gate/gate.ts',
    ]);
  });
});
