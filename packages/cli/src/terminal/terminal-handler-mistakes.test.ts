import { PassThrough } from 'node:stream';
import { Agent, tool, UserError } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { terminalHandler } from './terminal-handler.ts';

describe('mistakes with terminalHandler', () => {
  it.each([
    ['an unknown option', { stdin: process.stdin }, 'Unknown option `stdin` of `terminalHandler`'],
    ['a path as input', { input: '/dev/tty' }, 'Option `input` of `terminalHandler`'],
    ['a switch as output', { output: true }, 'Option `output` of `terminalHandler`'],
  ])('%s is an error', (_name, options, text) => {
    expect(() => terminalHandler(options as {})).toThrow(text);
    expect(() => terminalHandler(options as {})).toThrow(UserError);
  });

  it('the function itself as the handler is an error, and no call executes', async () => {
    const executed: unknown[] = [];
    const wipe = tool({ name: 'wipe', requiresApproval: true, execute: () => executed.push(1) });
    const agent = new Agent({ model: scriptedModel(calls('wipe')), tools: [wipe] });
    // Programs without types may forget the parentheses.
    const deferredToolHandler = terminalHandler as never;

    await expect(agent.run('Go.', { deferredToolHandler })).rejects.toThrow(
      'Pass `terminalHandler()`.',
    );
    expect(executed).toEqual([]);
  });

  it('a stream that is no terminal is an error, and no call executes', async () => {
    const executed: unknown[] = [];
    const wipe = tool({ name: 'wipe', requiresApproval: true, execute: () => executed.push(1) });
    const agent = new Agent({ model: scriptedModel(calls('wipe')), tools: [wipe] });
    const deferredToolHandler = terminalHandler({ input: new PassThrough() });

    await expect(agent.run('Go.', { deferredToolHandler })).rejects.toThrow(/terminal/);
    expect(executed).toEqual([]);
  });
});
