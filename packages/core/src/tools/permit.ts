import { AgentError } from '../errors/agent-errors.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/**
 * The right to execute one call of one tool with certain arguments.
 *
 * A tool executes only with a permit, and only the gate issues permits. A permit is valid for one execution.
 */
export class Permit {
  // Private fields cannot be replaced from outside, so a permit needs no freezing.
  readonly #call: ToolCallPart;
  readonly #args: unknown;
  readonly #executor: object;
  #used = false;

  /** Throws unless the gate calls it. */
  constructor(key: typeof gateKey, executor: object, call: ToolCallPart, args: unknown) {
    if (key !== gateKey) {
      throw new GateError('Only the gate can issue a permit. Use an agent to call the tool.');
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
   * Uses a permit and returns its arguments.
   *
   * Throws if the gate did not issue it, if it is for another executor, or if it was used before.
   */
  static use(permit: Permit, executor: object): unknown {
    if (!(#used in permit)) {
      throw new GateError(
        'A tool executes only with a permit from the gate. Use an agent to call the tool. In a wrapper, pass the ' +
          'permit on unchanged.',
      );
    }
    if (permit.#executor !== executor) {
      throw new GateError(
        `The permit for tool \`${permit.#call.toolName}\` was passed to another tool. Pass it to the tool that it ` +
          'was issued for.',
      );
    }
    if (permit.#used) {
      throw new GateError(
        `The permit for tool \`${permit.#call.toolName}\` was already used. Execute each call once.`,
      );
    }
    permit.#used = true;
    return permit.#args;
  }

  /** Returns true if the execution of the call has started. */
  static wasUsed(permit: Permit): boolean {
    return permit.#used;
  }
}

const gateKey: unique symbol = Symbol('gate');

/** Issues a permit. Only the gate may import this function; a test enforces it. */
export function issuePermit(executor: object, call: ToolCallPart, args: unknown): Permit {
  return new Permit(gateKey, executor, call, args);
}

/** An attempt to execute a tool without passing the gate. */
export class GateError extends AgentError {
  override name = 'GateError';
  readonly code = 'past-the-gate';
}
