import type { LedgerKey } from 'holdpoint/ledger';
import type { CallPlan, ToolPlan } from './plans.ts';

/** A call that the model made. */
export interface MadeCall {
  /** Unique in the case, unlike the id; part of the arguments. */
  readonly label: string;
  readonly toolCallId: string;
  /** Index of the call in its response. */
  readonly index: number;
  readonly plan: CallPlan;
  readonly tool: ToolPlan;
}

/** An execution of a tool. */
export interface Execution {
  readonly label: string;
  /** The argument that approvals cover. */
  readonly value: unknown;
  /** Id of the run. */
  readonly run: number;
  readonly approved: boolean;
  readonly idempotencyKey: string | undefined;
  /** Start, in journal time. */
  readonly at: number;
  /** A unique text as its outcome; `undefined` if it did not end or threw an error. */
  said?: string;
  saidAt?: number;
}

/** The record of everything that happened in a case, written by the tools and the ledger. */
export class Journal {
  readonly calls = new Map<string, MadeCall>();
  readonly executions: Execution[] = [];
  /** Times at which the ledger first had an outcome, by key. */
  readonly endings = new Map<string, number>();
  #events = 0;
  #responses = 0;
  readonly #raised = new Map<string, number>();

  now(): number {
    return ++this.#events;
  }

  /** Returns the number of the next response. */
  nextResponse(): number {
    return this.#responses++;
  }

  make(call: MadeCall): void {
    this.calls.set(call.label, call);
  }

  begin(execution: Omit<Execution, 'at'>): Execution {
    const begun = { ...execution, at: this.now() };
    this.executions.push(begun);
    return begun;
  }

  /** Records the end of an execution; returns its unique text. */
  over(execution: Execution): string {
    execution.saidAt = this.now();
    execution.said = `${execution.label} at ${execution.at}`;
    return execution.said;
  }

  of(label: string): readonly Execution[] {
    return this.executions.filter((execution) => execution.label === label);
  }

  /** Counts the approval requests that the tool raised for a call, including this one. */
  raise(label: string): number {
    const times = (this.#raised.get(label) ?? 0) + 1;
    this.#raised.set(label, times);
    return times;
  }

  /** Records that a ledger key has an outcome. */
  end(id: string): void {
    if (!this.endings.has(id)) this.endings.set(id, this.now());
  }
}

/** Returns the text of a ledger key. */
export function idOf({ step, slot }: LedgerKey): string {
  return `${step} ${slot}`;
}
