import { Agent, type RunContext, type Tool, tool } from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls, functionModel, responds, type ResponseLike, says } from 'holdpoint/testing';
import { z } from 'zod';
import { present } from '../present.ts';
import { Board, type NumberedToolset } from './numbered-toolset.ts';

/** The toolsets of three agents. The first delegates to the second, and the second to the third. */
export interface Composition {
  readonly lead: PlainToolsets;
  readonly sub: PlainToolsets;
  readonly nested: PlainToolsets;
}

/** Composes toolsets; the returned function is called for each run. */
export type Wiring = (board: Board) => () => Composition;

/** A way in which one agent delegates to another. */
export type Delegate = (agent: Agent<readonly Tool[]>) => Tool;

/** The ways to delegate. For `describe.each`. */
export const delegations: readonly { readonly way: string; readonly delegate: Delegate }[] = [
  { way: 'agent.asTool()', delegate: (agent) => agent.asTool() },
  {
    way: 'agent.run(…, { parent: ctx })',
    delegate: (agent) =>
      tool({
        name: agent.name,
        inputSchema: z.object({ prompt: z.string() }),
        execute: async ({ prompt }, ctx: RunContext) =>
          (await agent.run(prompt, { parent: ctx })).output,
      }),
  },
];

/** The positions of a run, in the order of the table rows. */
const PLACES = [
  'step 1, left call',
  'step 1, right call',
  'sub x, step 1',
  'sub x, nested',
  'sub x, step 3',
  'sub y, step 1',
  'sub y, nested',
  'sub y, step 3',
  'step 3',
] as const;

/** Runs: two at the same time, and one after them. */
const RUNS = ['a', 'b', 'c'] as const;

/** A row for each position: the instances that the runs `a`, `b` and `c` saw there. */
export type Table = readonly (readonly [position: string, a: string, b: string, c: string])[];

/**
 * Runs agents with these toolsets, and returns the instance that each position saw. Instances are
 * numbered by their first position in the table; `3 from 1` is a copy.
 */
export async function observe(wiring: Wiring, delegate: Delegate): Promise<Table> {
  const board = new Board();
  const composed = wiring(board);
  const run = (prompt: string) => agentsOf(composed(), delegate).run(prompt);

  await Promise.all([run('a'), run('b')]);
  await run('c');

  if (board.open.size > 0) throw new Error(`${board.open.size} toolsets are still open.`);
  return tableOf(board);
}

function agentsOf({ lead, sub, nested }: Composition, delegate: Delegate): Agent<readonly Tool[]> {
  const nestedAgent = new Agent<readonly Tool[]>({
    name: 'nested',
    model: following((prompt) => [look(prompt)]),
    toolsets: nested,
  });
  const subAgent = new Agent<readonly Tool[]>({
    name: 'sub',
    model: following((prompt) => [
      look(`${prompt}, step 1`),
      calls('nested', { prompt: `${prompt}, nested` }),
      look(`${prompt}, step 3`),
    ]),
    tools: [delegate(nestedAgent)],
    toolsets: sub,
  });
  return new Agent<readonly Tool[]>({
    model: following((prompt) => [
      responds(look(`${prompt}: step 1, left call`), look(`${prompt}: step 1, right call`)),
      responds(
        calls('sub', { prompt: `${prompt}: sub x` }),
        calls('sub', { prompt: `${prompt}: sub y` }),
      ),
      look(`${prompt}: step 3`),
    ]),
    tools: [delegate(subAgent)],
    toolsets: lead,
  });
}

const look = (position: string) => calls('look', { position });

/** A model that follows a script, and skips calls of `look` if the tool is missing. */
function following(scriptFor: (prompt: string) => readonly ResponseLike[]) {
  return functionModel(({ messages, functionTools }) => {
    const [first] = present(messages[0]).parts;
    if (first?.kind !== 'user-prompt') throw new Error('There is no prompt.');
    const canLook = functionTools.some(({ name }) => name === 'look');
    const script = scriptFor(String(first.content)).filter((one) => canLook || !isLook(one));
    const step = messages.filter(({ kind }) => kind === 'response').length;
    return script[step] ?? says('Done.');
  });
}

function isLook(one: ResponseLike): boolean {
  return JSON.stringify(one).includes('"toolName":"look"');
}

function tableOf({ sightings }: Board): Table {
  const seen = new Map(sightings.map((sighting) => [sighting.position, sighting.seen]));
  if (seen.size !== sightings.length) throw new Error('A position was seen twice.');
  const numbers = new Map<NumberedToolset, number>();
  const numberOf = (toolset: NumberedToolset): number => {
    if (!numbers.has(toolset)) numbers.set(toolset, numbers.size + 1);
    return present(numbers.get(toolset));
  };
  const nameAt = (position: string): string => {
    const toolset = seen.get(position);
    if (toolset === undefined) return '–';
    const { from } = toolset;
    return from === undefined
      ? `${numberOf(toolset)}`
      : `${numberOf(toolset)} from ${numberOf(from)}`;
  };
  const columns = RUNS.map((run) => PLACES.map((position) => nameAt(`${run}: ${position}`)));
  return PLACES.map((position, row) => [
    position,
    present(present(columns[0])[row]),
    present(present(columns[1])[row]),
    present(present(columns[2])[row]),
  ]);
}
