import { captureRunMessages, type DeferredToolResults, type Message, type Model } from 'holdpoint';
import type { ModelCall, ModelResponseData } from 'holdpoint/models';
import { pydanticMessageCodec } from 'holdpoint/pydantic';
import { RunLog, Stage } from '../../../../conformance/src/stage.ts';
import { buildAgent, contextTools, toPrompt } from './build-agent.ts';
import type { Fixture, Json, Run } from './fixtures.ts';

/** The end of a run. */
export interface Ended {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly messages: readonly Message[];
  readonly newMessages: readonly Message[];
  readonly invocations: readonly Json[];
  /** The first messages that the model received; `undefined` if no request was made. */
  readonly seen: readonly Message[] | undefined;
}

/** The agent of a fixture. */
export class FixtureAgent {
  readonly #fixture: Fixture;
  readonly #stage = new Stage(() => Promise.reject(new Error('There is only one agent.')));

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  /** Executes the run as Pydantic AI did. Its functions count their earlier uses. */
  async run(run: Run, given: Given = {}): Promise<Ended> {
    const stage = this.#stage;
    const agent = buildAgent(this.#fixture, stage);
    const { invocations } = (stage.log = new RunLog());
    const { run_id: runId, conversation_id: conversationId } = run.options ?? {};
    const model = new ReplayingModel(run.model);
    const captured = await captureRunMessages(() =>
      agent.run(toPrompt(run.prompt), {
        ...given,
        model,
        toolsets: contextTools(this.#fixture, stage),
        runId,
        conversationId,
      }),
    );
    if (captured.status === 'rejected') {
      const { reason: error, messages } = captured;
      return { error, messages, newMessages: [], invocations, seen: model.seen };
    }
    const { output, messages, newMessages } = captured.value;
    return { output, messages, newMessages, invocations, seen: model.seen };
  }
}

/** The start of a run. */
interface Given {
  readonly messageHistory?: readonly Message[];
  readonly deferredToolResults?: DeferredToolResults;
}

/** Replays the responses of a fixture in order. */
class ReplayingModel implements Model {
  readonly name = 'interop-model';
  readonly system = 'interop';
  seen: readonly Message[] | undefined;
  readonly #responses: Iterator<Message>;

  constructor(responses: readonly Json[]) {
    this.#responses = pydanticMessageCodec.fromJSON(responses).values();
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    this.seen ??= [...call.messages];
    const { value } = this.#responses.next();
    if (value?.kind !== 'response') throw new Error('The model has no further response.');
    const { kind: _, ...response } = value;
    return { ...response, modelName: this.name };
  }
}
