import { AgentError } from '../errors/agent-errors.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/**
 * The right to execute one call of one tool with certain arguments.
 *
 * A tool executes only with a permit. Only the gate issues permits, after everything about the call
 * is settled. A permit is good for one execution.
 */
export class Permit {
  // Nobody can put anything else in place of what is private, so that a permit need not be frozen.
  readonly #call: ToolCallPart;
  readonly #args: unknown;
  readonly #executor: object;
  #used = false;

  /** Not for use: permits come from the gate. */
  constructor(key: typeof gateKey, executor: object, call: ToolCallPart, args: unknown) {
    if (key !== gateKey) {
      throw new GateError('A permit can only be issued by the gate. Let an agent call the tool.');
    }
    this.#executor = executor;
    this.#call = call;
    this.#args = args;
  }

  get call(): ToolCallPart {
    return this.#call;
  }

  /** The validated arguments; frozen. */
  get args(): unknown {
    return this.#args;
  }

  /**
   * Uses up a permit, and gives the arguments that it is for; throws if it is none, is for something else
   * than `executor`, or was used before.
   */
  static use(permit: Permit, executor: object): unknown {
    if (!(#used in permit)) {
      throw new GateError(
        'A tool executes only with a permit of the gate. Let an agent call the tool, or pass on the permit as it came.',
      );
    }
    if (permit.#executor !== executor) {
      throw new GateError(
        `The permit for '${permit.#call.toolName}' is not for this tool. Pass each permit on to its own tool.`,
      );
    }
    if (permit.#used) {
      throw new GateError(
        `The permit for '${permit.#call.toolName}' was used before. Execute a call once.`,
      );
    }
    permit.#used = true;
    return permit.#args;
  }

  /** Whether a permit was used: the execution has begun. */
  static wasUsed(permit: Permit): boolean {
    return permit.#used;
  }
}

const gateKey: unique symbol = Symbol('gate');

/** Issues a permit. For the gate alone; a test looks that nothing else imports this. */
export function issuePermit(executor: object, call: ToolCallPart, args: unknown): Permit {
  return new Permit(gateKey, executor, call, args);
}

/** Somebody tried to execute a tool past the gate. */
export class GateError extends AgentError {
  override name = 'GateError';
  readonly code = 'past-the-gate';
}
