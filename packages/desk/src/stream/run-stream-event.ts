import type { Message } from 'holdpoint';
import type { RunEvent, SubAgentEvent } from 'holdpoint/agents';
import type { RunRow } from '../model/run-row.ts';

/**
 * An event of the stream of a run.
 *
 * @typeParam Run - The run, with the type of its output.
 */
export type RunStreamEvent<Run = RunRow> =
  | RunMessageEvent
  | RunLiveEvent
  | RunRewindEvent
  | RunStateEvent<Run>;

/**
 * A message of the run is stored. Positions ascend without a gap. The message replaces all `live` events with its
 * position.
 */
export interface RunMessageEvent {
  readonly kind: 'message';
  /** The index of the message in its conversation. */
  readonly position: number;
  /** The message, without the records that the framework added to it. */
  readonly message: Message;
  /** Pass it as `after` to resume here. */
  readonly cursor: string;
}

/**
 * An event about the message at `position`, which is not stored yet. Only runs that execute in this process have
 * such events. A response is emitted from its start, or not at all.
 */
export interface RunLiveEvent {
  readonly kind: 'live';
  readonly position: number;
  readonly event: LiveEvent;
}

/** An event of the run itself, or of one of its sub-agents. */
export type LiveEvent = LiveRunEvent | LiveSubAgentEvent;

/** An event of a sub-agent. Messages of sub-agents are not stored in the conversation, so it is emitted live or not at all. */
export interface LiveSubAgentEvent {
  readonly kind: 'sub-agent-event';
  /** The calls to sub-agents that led to the event, outermost first. */
  readonly path: SubAgentEvent['path'];
  readonly event: LiveRunEvent;
}

/** An event of a response that the model streams, or of a tool call that executes. */
export type LiveRunEvent = Extract<
  RunEvent,
  {
    readonly kind:
      | 'response-start'
      | 'part-start'
      | 'text-delta'
      | 'thinking-delta'
      | 'args-delta'
      | 'part-end'
      | 'tool-call'
      | 'tool-result'
      | 'output-tool-call'
      | 'output-tool-result';
  }
>;

/**
 * The `live` events and messages from this position on are void: an attempt at the run broke off, or stored messages
 * were replaced. Their replacements follow.
 */
export interface RunRewindEvent {
  readonly kind: 'rewind';
  readonly position: number;
}

/** The state of the run, at first and after each change. It follows the messages that were stored with it. */
export interface RunStateEvent<Run = RunRow> {
  readonly kind: 'state';
  readonly run: Run;
  /** Pass it as `after` to resume here. */
  readonly cursor: string;
}

/** Options of `desk.stream`. */
export interface RunStreamOptions {
  /** The `cursor` of the last event that the reader processed. The stream resumes after it. */
  readonly after?: string | undefined;
  /**
   * Set it to keep the stream open while the run is parked or stuck. By default the stream ends there: a run may be
   * parked for days.
   */
  readonly continueWhenParked?: boolean | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time between two reads of the store for the steps of other processes, in milliseconds; a second unless
   * given.
   */
  readonly pollMs?: number | undefined;
}
