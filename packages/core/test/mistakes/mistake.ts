import {
  Agent,
  DeferredToolRequests,
  type DeferredToolResults,
  type ParkedResult,
  type Tool,
  tool,
  UserError,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

/** A mistake in the use of the library, as a JavaScript program can contain it. */
export interface Mistake {
  /** The end of the title "rejects …". */
  readonly name: string;
  /** Makes the mistake, and executes a tool if nothing rejects it. */
  readonly make: (probe: Probe) => unknown;
  /** The texts that the message of the error contains. */
  readonly error: string | readonly string[];
}

/** Values for mistakes. It records the executions of its tools. */
export class Probe {
  /** The arguments of each execution. */
  readonly executions: unknown[] = [];
  /** The function of a tool that must not execute. */
  readonly execute = (args: unknown): string => {
    this.executions.push(args);
    return 'Wiped.';
  };
  /** A tool without a requirement for approval. */
  readonly wipe: Tool = tool({ name: 'wipe', execute: this.execute });
  /** A tool whose calls need approval. */
  readonly guarded: Tool = tool({ name: 'wipe', requiresApproval: true, execute: this.execute });

  /** Returns a model that calls `wipe` once and then ends the run with text. */
  model(): ReturnType<typeof scriptedModel> {
    return scriptedModel(calls('wipe', {}, { id: 'call-1' }), says('Done.'), says('Done again.'));
  }

  /** Runs an agent that has this tool, with a model that calls it. */
  run(one: Tool): Promise<unknown> {
    return new Agent({ model: this.model(), tools: [one] }).run('Go.');
  }

  /** Parks a run on the call of a tool that needs approval. */
  async parked(): Promise<Parked> {
    const agent = new Agent({
      model: this.model(),
      tools: [this.guarded],
      output: [String, DeferredToolRequests],
    });
    const result = await agent.run('Go.');
    if (result.status !== 'parked') throw new Error('The run did not park.');
    return {
      result,
      resume: (results, options) => agent.resume(result, results, options as never),
      resumeFrom: (parked, results) => agent.resume(parked as never, results),
    };
  }
}

/** A parked run, and how to resume it. */
export interface Parked {
  readonly result: ParkedResult;
  /** Resumes the run. */
  resume(results: DeferredToolResults, options?: object): Promise<unknown>;
  /** Resumes with another value in place of the parked run. */
  resumeFrom(parked: unknown, results: DeferredToolResults): Promise<unknown>;
}

/** Tests that each mistake is a `UserError` with advice, and that no tool executes. */
export function describeMistakes(title: string, mistakes: readonly Mistake[]): void {
  describe(title, () => {
    it.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
      'rejects %s',
      async (_name, { make, error }) => {
        const probe = new Probe();

        const thrown = await errorOf(() => make(probe));

        expect(probe.executions, 'executions of the tool').toEqual([]);
        expect(thrown).toBeInstanceOf(UserError);
        const texts = typeof error === 'string' ? [error] : error;
        // The base class sets the message.
        for (const text of texts) expect((thrown as UserError).message).toContain(text);
      },
    );
  });
}

async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make();
  } catch (error) {
    return error;
  }
  return undefined;
}
