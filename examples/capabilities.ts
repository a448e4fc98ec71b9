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
import type { ModelReply } from 'holdpoint/models';
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
    return `${path} is gone`;
  },
});

// 1. A capability is plain data. This one tells the model something, has a tool and looks at calls.
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

// 2. Hooks around requests to the model: here, one that keeps the answers.
{
  // #region cache
  function cached(kept: Map<string, ModelReply>): Capability {
    return {
      name: 'cached',
      async wrapModelRequest(call, next) {
        const key = JSON.stringify(call.messages.map(({ parts }) => parts));
        const answer = kept.get(key) ?? (await next(call));
        kept.set(key, answer);
        return answer;
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

// 3. Hooks around the check of arguments: they change them, send calls back or have them approved.
{
  // #region validation
  const tidyPaths: Capability = {
    name: 'tidyPaths',
    async wrapToolValidation({ args }, next, ctx) {
      // What was approved is what runs: approved arguments stay as they are.
      if (ctx.toolCallApproved || typeof args['path'] !== 'string') return void (await next(args));
      await next({ ...args, path: args['path'].replace(/^\.\//, '') });
    },
  };

  const askAboutHidden: Capability = {
    name: 'askAboutHidden',
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
    capabilities: [tidyPaths, askAboutHidden],
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
        throw new ModelRetry('Answer without an apology.');
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

// 5. Hooks around the run see how it ends, and can say it themselves.
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

// 6. Order is that of the list, and what capabilities need of each other is checked.
{
  // #region order
  const login: Capability = { name: 'login' };
  const invoices: Capability = {
    name: 'invoices',
    requires: ['login'], // must be there
    after: ['login'], // must come earlier in the list
    conflictsWith: ['sandbox', 'invoices'], // must not be there; nor a second one of this
  };

  const model = scriptedModel('Done.');
  const agent = new Agent({ model, capabilities: [login, invoices] });
  assert.throws(() => new Agent({ model, capabilities: [invoices, login] }), UserError);
  // #endregion

  await agent.run('Go.');
}

// 7. A whole one, with a state of its own for each run and something that it needs of the application.
{
  // #region budget
  interface Account {
    readonly credits: number;
  }

  /** Lets calls spend the credits of an account, as far as they go. */
  function budget(prices: Readonly<Record<string, number>>): Capability<Account> {
    return {
      name: 'budget',
      conflictsWith: ['budget'],
      instructions: (ctx) => `You have ${ctx.deps.credits} credits.`,
      forRun(ctx) {
        let left = ctx.deps.credits;
        return {
          async wrapToolValidation({ call, args }, next, { toolCallApproved }) {
            // A call that was approved has paid when it was first checked.
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

// 8. Some that come with the package.
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

// 9. A run can bring its own, and no hook lets a call run that waits for approval.
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

console.log('Every hook was asked, and none got past the gate.');
