// Capabilities: bundles of instructions, tools, settings and hooks that an agent or a run can have.
import assert from 'node:assert/strict';
import {
  Agent,
  ApprovalRequired,
  type Capability,
  DeferredToolRequests,
  FunctionToolset,
  ModelRetry,
  tool,
  UserError,
} from 'holdpoint';
import { nativeTool, prefixTools, prepareTools, processHistory } from 'holdpoint/capabilities';
import type { ModelResponseData } from 'holdpoint/models';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const Path = z.object({ path: z.string() });
const read = tool({ name: 'read', inputSchema: Path, execute: ({ path }) => `${path}: empty` });
const removed: string[] = [];
const remove = tool({
  name: 'remove',
  inputSchema: Path,
  requiresApproval: true,
  execute({ path }) {
    removed.push(path);
    return `${path} removed`;
  },
});

// 1. A capability is plain data: here with instructions, tools and a hook.
{
  const log: string[] = [];
  // #region first
  const files: Capability = {
    name: 'files',
    instructions: 'Paths are relative to the project.',
    tools: [read, remove],
    async wrapToolExecution({ call, args }, next) {
      const result = await next();
      log.push(`${call.toolName} ${JSON.stringify(args)}`);
      return result;
    },
  };

  const agent = new Agent({
    model: scriptedModel(calls('read', { path: 'a.txt' }), says('It is empty.')),
    capabilities: [files],
  });
  // #endregion

  await agent.run('What is in a.txt?');

  assert.deepEqual(log, ['read {"path":"a.txt"}']);
}

// 2. A hook around model requests that caches responses.
{
  // #region cache
  function cached(responses: Map<string, ModelResponseData>): Capability {
    return {
      name: 'cached',
      async wrapModelRequest(call, next) {
        const key = JSON.stringify(call.messages.map(({ parts }) => parts));
        const response = responses.get(key) ?? (await next(call));
        responses.set(key, response);
        return response;
      },
    };
  }
  // #endregion
  const model = scriptedModel('Hello.');
  const agent = new Agent({ model, capabilities: [cached(new Map())] });

  await agent.run('Hi.');
  const second = await agent.run('Hi.');

  assert.equal(second.output, 'Hello.');
  assert.equal(model.calls.length, 1);
}

// 3. Hooks around validation: they change arguments, reject calls or require approval.
{
  // #region validation
  const tidyPaths: Capability = {
    name: 'tidyPaths',
    async wrapToolValidation({ args }, next, ctx) {
      // The arguments of an approved call must not change.
      if (ctx.toolCallApproved || typeof args['path'] !== 'string') return void (await next(args));
      await next({ ...args, path: args['path'].replace(/^\.\//, '') });
    },
  };

  const approveHiddenFiles: Capability = {
    name: 'approveHiddenFiles',
    async wrapToolValidation({ args }, next, ctx) {
      const validation = await next(args);
      const isHidden = validation.ok && String(args['path']).startsWith('.');
      if (isHidden && !ctx.toolCallApproved) throw new ApprovalRequired({ why: 'hidden' });
    },
  };

  const agent = new Agent({
    model: scriptedModel(
      responds(
        calls('read', { path: './a.txt' }),
        calls('read', { path: './.env' }, { id: 'env' }),
      ),
      says('Both are empty.'),
    ),
    tools: [read],
    capabilities: [tidyPaths, approveHiddenFiles],
    output: [String, DeferredToolRequests],
  });
  // #endregion

  const parked = await agent.run('Read the files.');

  assert.ok(parked.status === 'parked');
  assert.deepEqual(parked.output.get('env').args, { path: '.env' });
  assert.deepEqual(parked.output.metadata['env'], { why: 'hidden' });
  const done = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));
  assert.equal(done.output, 'Both are empty.');
}

// 4. Hooks around the output.
{
  // #region output
  const noApologies: Capability = {
    name: 'noApologies',
    async wrapOutput(value, next, ctx) {
      if (!ctx.partialOutput && /sorry/i.test(String(value))) {
        throw new ModelRetry('Respond without an apology.');
      }
      return next(value);
    },
  };
  // #endregion
  const agent = new Agent({
    model: scriptedModel("Sorry, I don't know.", 'I do not know.'),
    capabilities: [noApologies],
  });

  const { output } = await agent.run('Who won?');

  assert.equal(output, 'I do not know.');
}

// 5. A hook around the run that recovers from errors.
{
  // #region run
  const neverFails: Capability = {
    name: 'neverFails',
    async wrapRun(next, ctx) {
      try {
        return await next();
      } catch (error) {
        if (ctx.signal.aborted) throw error;
        return { kind: 'finished', output: 'Please try again later.' };
      }
    },
  };
  // #endregion
  const agent = new Agent({
    model: scriptedModel(new Error('The provider is down.')),
    capabilities: [neverFails],
  });

  const { output } = await agent.run('Hi.');

  assert.equal(output, 'Please try again later.');
}

// 6. The order of the list is the order of hooks, and dependencies are validated.
{
  // #region order
  const login: Capability = { name: 'login' };
  const invoices: Capability = {
    name: 'invoices',
    requires: ['login'], // must be present
    after: ['login'], // must be earlier in the list
    conflictsWith: ['sandbox', 'invoices'], // must not be present, nor a second `invoices`
  };

  const model = scriptedModel('Done.');
  const agent = new Agent({ model, capabilities: [login, invoices] });
  assert.throws(() => new Agent({ model, capabilities: [invoices, login] }), UserError);
  // #endregion

  await agent.run('Send the invoices.');
}

// 7. A capability with state per run and with deps.
{
  // #region budget
  interface Account {
    readonly credits: number;
  }

  /** Limits the calls of a run to the credits of an account. */
  function budget(prices: Readonly<Record<string, number>>): Capability<Account> {
    return {
      name: 'budget',
      conflictsWith: ['budget'],
      instructions: (ctx) => `You have ${ctx.deps.credits} credits.`,
      forRun(ctx) {
        let left = ctx.deps.credits;
        return {
          async wrapToolValidation({ call, args }, next, { toolCallApproved }) {
            // An approved call was paid for when it was validated first.
            const price = toolCallApproved ? 0 : (prices[call.toolName] ?? 0);
            if (price > left) throw new ModelRetry(`There are only ${left} credits left.`);
            const validation = await next(args);
            if (validation.ok) left -= price;
          },
        };
      },
    };
  }

  const agent = new Agent({
    model: scriptedModel(
      calls('read', { path: 'a' }),
      calls('read', { path: 'b' }),
      says('Enough.'),
    ),
    tools: [read],
    capabilities: [budget({ read: 2 })],
  });

  const result = await agent.run('Read everything.', { deps: { credits: 3 } });
  // #endregion

  assert.equal(result.output, 'Enough.');
  assert.equal(result.usage.toolCalls, 1);
}

// 8. Capabilities of the package.
{
  const model = scriptedModel(calls('work_add', { path: 'x' }), says('Added.'));
  const add = tool({ name: 'add', inputSchema: Path, execute: () => 'added' });
  const calendar: Capability = { name: 'calendar', toolsets: [new FunctionToolset([add])] };
  const search = tool({ name: 'search', unlessNative: 'web-search', execute: () => 'nothing' });
  // #region provided
  const agent = new Agent({
    model,
    tools: [remove],
    capabilities: [
      prefixTools('work', calendar),
      prefixTools('home', calendar),
      nativeTool({ kind: 'web-search' }, { local: search }),
      prepareTools((_ctx, definitions) => definitions.filter(({ name }) => name !== 'remove')),
      processHistory((messages) => messages.slice(-20)),
    ],
  });
  // #endregion

  await agent.run('Add x at work.');

  assert.deepEqual(
    model.calls[0]?.functionTools.map(({ name }) => name),
    ['work_add', 'home_add', 'search'],
  );
}

// 9. Capabilities of a run. No hook can execute a call that needs approval.
{
  // #region gate
  const eager: Capability = {
    name: 'eager',
    changeTools: (tools) =>
      tools.prepared((_ctx, all) => all.map((one) => ({ ...one, kind: 'function' }))),
    async wrapToolValidation({ args }, next) {
      await next(args).catch(() => {});
    },
    wrapToolExecution: (_call, next) => next().catch(() => 'done'),
  };
  const agent = new Agent({
    model: scriptedModel(calls('remove', { path: 'a.txt' })),
    tools: [remove],
    output: [String, DeferredToolRequests],
  });

  const result = await agent.run('Remove a.txt.', { capabilities: [eager] });
  assert.equal(result.status, 'parked');
  // #endregion
  assert.deepEqual(removed, []);
}

console.log('Every hook was called, and none bypassed the gate.');
