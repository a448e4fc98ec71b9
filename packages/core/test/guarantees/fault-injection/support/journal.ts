import type { LedgerKey } from 'holdpoint/ledger';
import type { CallPlan, ToolPlan } from './plans.ts';

/** A call that the model has made. */
export interface MadeCall {
  /** Unlike its id, no other call of the case has it; its arguments hold it. */
  readonly label: string;
  readonly toolCallId: string;
  /** Its place among the calls of its response. */
  readonly index: number;
  readonly plan: CallPlan;
  readonly tool: ToolPlan;
}

/** A tool had its effect. */
export interface Execution {
  readonly label: string;
  /** The argument that approvals are about. */
  readonly value: unknown;
  /** The run that it was in. */
  readonly run: number;
  readonly approved: boolean;
  readonly idempotencyKey: string | undefined;
  /** When it began, in the order of everything that the journal has. */
  readonly at: number;
  /** What came of it, in words that nothing else has; `undefined` if it is not over, or threw an error. */
  said?: string;
  saidAt?: number;
}

/** What has happened in a case, written down by those who did it and by nobody else. */
export class Journal {
  readonly calls = new Map<string, MadeCall>();
  readonly executions: Execution[] = [];
  /** When a key had its outcome first, by its text. */
  readonly endings = new Map<string, number>();
  #events = 0;
  #responses = 0;
  readonly #raised = new Map<string, number>();

  now(): number {
    return ++this.#events;
  }

  /** The number of the next response. */
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

  /** It is over, and gives the words that nothing else has. */
  over(execution: Execution): string {
    execution.saidAt = this.now();
    execution.said = `${execution.label} at ${execution.at}`;
    return execution.said;
  }

  of(label: string): readonly Execution[] {
    return this.executions.filter((execution) => execution.label === label);
  }

  /** How often a tool has asked instead of running, this time included. */
  raise(label: string): number {
    const times = (this.#raised.get(label) ?? 0) + 1;
    this.#raised.set(label, times);
    return times;
  }

  /** A key of a ledger has its outcome. */
  end(id: string): void {
    if (!this.endings.has(id)) this.endings.set(id, this.now());
  }
}

/** One text for a key of a call. */
export function idOf({ step, slot }: LedgerKey): string {
  return `${step} ${slot}`;
}
