import { inherit } from 'holdpoint';
import {
  CopiedToolset,
  FreshToolset,
  NumberedToolset,
  PatternToolset,
} from './numbered-toolset.ts';
import type { Composition, Wiring } from './observe.ts';

/** A way to write a policy. */
export interface Written {
  readonly policy: string;
  readonly written: string;
  readonly wiring: Wiring;
}

/** The wiring that is the same for all runs. */
const always =
  (compose: (board: Parameters<Wiring>[0]) => Composition): Wiring =>
  (board) => {
    const composition = compose(board);
    return () => composition;
  };

/** The five policies, each with all ways to write it. */
export const wirings: readonly Written[] = [
  {
    policy: 'one instance for all runs',
    written: 'the instance on every agent',
    wiring: always((board) => {
      const toolsets = [new NumberedToolset(board)];
      return { lead: toolsets, sub: toolsets, nested: toolsets };
    }),
  },
  {
    policy: 'fresh for each run',
    written: 'a factory on the agent that is run',
    wiring: always((board) => ({
      lead: [() => new NumberedToolset(board)],
      sub: [],
      nested: [],
    })),
  },
  {
    policy: 'fresh for each run',
    written: 'forRun on the toolset of the agent that is run',
    wiring: always((board) => ({ lead: [new FreshToolset(board)], sub: [], nested: [] })),
  },
  {
    policy: 'fresh for each agent call',
    written: 'the same factory on every agent',
    wiring: always((board) => {
      const toolsets = [() => new NumberedToolset(board)];
      return { lead: toolsets, sub: toolsets, nested: toolsets };
    }),
  },
  {
    policy: 'fresh for each agent call',
    written: 'a factory on every agent, though the toolset would give copies',
    wiring: always((board) => {
      const toolsets = [() => new CopiedToolset(board)];
      return { lead: toolsets, sub: toolsets, nested: toolsets };
    }),
  },
  {
    policy: 'fresh for each agent call',
    written: 'a toolset with forRun on every agent',
    wiring: always((board) => {
      const toolsets = [new FreshToolset(board)];
      return { lead: toolsets, sub: toolsets, nested: toolsets };
    }),
  },
  {
    policy: 'snapshot of the parent’s',
    written: 'inherit(id), and forSubAgent gives a copy',
    wiring: always((board) => ({
      lead: [() => new CopiedToolset(board)],
      sub: [inherit('numbered')],
      nested: [inherit('numbered')],
    })),
  },
  {
    policy: 'snapshot of the parent’s',
    written: 'one instance on every agent, whose forSubAgent copies what findToolset gives',
    wiring: always((board) => {
      const toolsets = [new PatternToolset(board)];
      return { lead: toolsets, sub: toolsets, nested: toolsets };
    }),
  },
  {
    policy: 'inherited from the parent',
    written: 'the instance on every agent, agents made for the run',
    wiring: (board) => () => {
      const toolsets = [new NumberedToolset(board)];
      return { lead: toolsets, sub: toolsets, nested: toolsets };
    },
  },
  {
    policy: 'inherited from the parent',
    written: 'inherit(id), and no forSubAgent',
    wiring: always((board) => ({
      lead: [() => new NumberedToolset(board)],
      sub: [inherit('numbered')],
      nested: [inherit('numbered')],
    })),
  },
  {
    policy: 'inherited from the parent',
    written: 'inherit(id) of a toolset that makes itself anew for each run',
    wiring: always((board) => ({
      lead: [new FreshToolset(board)],
      sub: [inherit('numbered')],
      nested: [inherit('numbered')],
    })),
  },
  {
    policy: 'inherited from the parent',
    written: 'inherit(id, { share: true }), though forSubAgent gives a copy',
    wiring: always((board) => ({
      lead: [() => new CopiedToolset(board)],
      sub: [inherit('numbered', { share: true })],
      nested: [inherit('numbered', { share: true })],
    })),
  },
];
