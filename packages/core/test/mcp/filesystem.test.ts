import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DeferredToolResults,
  messageCodec,
  requestsFromMessages,
  ToolApproved,
  type ToolDefinition,
} from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { present } from '../support/present.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { agentWith, offeredBy, resultsOf } from './support/agents.ts';
import { runningServers } from './support/processes.ts';
import { filesystem } from './support/stdio-servers.ts';

let folder: TempFolder;
let path: string;

beforeEach(async () => {
  folder = await tempFolder('mcp-files');
  path = join(realpathSync(folder.path), 'note.txt');
});

afterEach(async () => {
  expect(await runningServers()).toEqual([]);
  await folder[Symbol.asyncDispose]();
});

/** Parks a run on a write in one agent, and resumes it with the decision in another. */
async function writeInTwoPhases(decision: 'approve' | 'deny') {
  const first = agentWith(
    filesystem(folder.path, { trustReadOnlyHints: true }),
    calls('write_file', { path, content: 'Approved.' }, { id: 'write' }),
  );
  const parked = await expectParked(first.run('Write a note.'));
  expect(existsSync(path)).toBe(false);
  expect(await runningServers()).toEqual([]);
  const stored = messageCodec.stringify(parked.messages);

  const messageHistory = messageCodec.parse(stored);
  const requests = present(requestsFromMessages(messageHistory));
  const deferredToolResults: DeferredToolResults = requests.buildResults(
    decision === 'approve' ? { approveAll: true } : { approvals: { write: false } },
  );
  const second = agentWith(filesystem(folder.path, { trustReadOnlyHints: true }), says('Done.'));
  return second.run(undefined, { messageHistory, deferredToolResults });
}

describe('writing a file on a real server', () => {
  it('requires an approval, and happens after it in another process', async () => {
    const { output, messages } = await writeInTwoPhases('approve');

    expect(output).toBe('Done.');
    expect(readFileSync(path, 'utf8')).toBe('Approved.');
    expect(resultsOf(messages)).toEqual({
      write: { content: expect.stringContaining('Successfully wrote') },
    });
  });

  it('does not happen if it is denied', async () => {
    const { output } = await writeInTwoPhases('deny');

    expect(output).toBe('Done.');
    expect(existsSync(path)).toBe(false);
  });

  it('uses the arguments that the approver edited', async () => {
    const agent = agentWith(
      filesystem(folder.path),
      calls('write_file', { path, content: 'as the model wants it' }, { id: 'write' }),
      says('Done.'),
    );

    const parked = await expectParked(agent.run('Write a note.'));
    await agent.resume(
      parked,
      parked.output.buildResults({
        approvals: {
          write: new ToolApproved({ overrideArgs: { path, content: 'as it was approved' } }),
        },
      }),
    );

    expect(readFileSync(path, 'utf8')).toBe('as it was approved');
  });
});

describe('approval requirement of tools on a server', () => {
  const namesByKind = async (options?: Parameters<typeof filesystem>[1]) => {
    const offered = [...(await offeredBy(filesystem(folder.path, options))).values()];
    const namesOf = (kind: ToolDefinition['kind']) =>
      offered.filter((tool) => tool.kind === kind).map(({ name }) => name);
    return { free: namesOf('function'), asking: namesOf('unapproved'), all: offered.length };
  };

  it('requires approval for everything on an untrusted server', async () => {
    const { asking, all } = await namesByKind();

    expect(all).toBeGreaterThan(10);
    expect(asking).toHaveLength(all);
  });

  it('covers all tools except those that a trusted server marks as read-only', async () => {
    const { free, asking } = await namesByKind({ trustReadOnlyHints: true });

    expect(free).toEqual(expect.arrayContaining(['read_text_file', 'list_directory']));
    expect(asking).toEqual(expect.arrayContaining(['write_file', 'edit_file', 'move_file']));
  });

  it('covers all tools except those that the application names', async () => {
    const { free } = await namesByKind({ withoutApproval: ['create_directory', 'read_text_file'] });

    expect(free).toEqual(['read_text_file', 'create_directory']);
  });

  it('can be stricter in the application', async () => {
    writeFileSync(path, 'secret');
    const toolset = filesystem(folder.path, { trustReadOnlyHints: true }).approvalRequired(
      (_ctx, _definition, args) => JSON.stringify(args).includes('note'),
    );
    const agent = agentWith(toolset, calls('read_text_file', { path }, { id: 'read' }));

    const { output } = await expectParked(agent.run('Read the note.'));

    expect(output.approvals.map(({ toolCallId }) => toolCallId)).toEqual(['read']);
  });
});
