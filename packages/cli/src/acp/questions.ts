import {
  type CreateElicitationResponse,
  type ElicitationSchema,
  methods,
} from '@agentclientprotocol/sdk';
import type { DecisionEntry, JsonObject, JsonValue, PendingCall } from 'holdpoint';
import { type QuestionForm, questionForm, schemaProblems } from 'holdpoint/deferral';
import { visible } from '../terminal/visible.ts';
import type { TurnContext } from './turn-context.ts';

/** An editor that sends invalid inputs again and again must not keep the run busy. */
const MAX_ATTEMPTS = 3;

const NO_FORM =
  'The editor cannot show this question. Ask the user in your response, and end your turn.';

/** Asks the user for the input of a question with a form of the editor. */
export async function askQuestion(call: PendingCall, turn: TurnContext): Promise<DecisionEntry> {
  const response = await requestInput(call.question, turn.updates.idOf(call), turn);
  if (response === undefined) return call.deny(NO_FORM);
  return 'input' in response ? call.respond(response.input) : call.deny(response.denied);
}

/** The response of the user to a question. */
type InputResponse = { readonly input: JsonValue } | { readonly denied: string };

/** Requests the input of a question; `undefined` if the editor cannot show it. */
export async function requestInput(
  { message, schema }: { readonly message: string; readonly schema: JsonObject } = {
    message: '',
    schema: {},
  },
  toolCallId: string,
  turn: TurnContext,
): Promise<InputResponse | undefined> {
  const form = turn.hasForms ? questionForm(schema) : undefined;
  if (form === undefined) return undefined;
  let problems: readonly string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const response = await showForm([message, ...problems], form, toolCallId, turn);
    const input = readInput(response, form, turn);
    if (input === undefined) return { denied: 'The user declined the question.' };
    problems = schemaProblems(schema, input);
    if (problems.length === 0) return { input };
  }
  return { denied: `The input of the user was invalid: ${problems.join(' ')}` };
}

async function showForm(
  lines: readonly string[],
  form: QuestionForm,
  toolCallId: string,
  turn: TurnContext,
): Promise<CreateElicitationResponse> {
  const text = lines.join('\n\n').split('\n').map(visible).join('\n');
  const response = await turn.client.request(
    methods.client.elicitation.create,
    {
      mode: 'form',
      sessionId: turn.sessionId,
      toolCallId,
      message: text,
      // Fields have the types and keywords that the protocol permits.
      requestedSchema: form.schema as ElicitationSchema,
    },
    { cancellationSignal: turn.signal, stopWaitingOnCancel: true },
  );
  // A response that arrives after the user cancelled the turn has no effect.
  turn.signal.throwIfAborted();
  return response;
}

/** Returns the input of the user; `undefined` if the user declined. */
function readInput(
  response: CreateElicitationResponse,
  form: QuestionForm,
  { cancel, signal }: TurnContext,
): JsonValue | undefined {
  if (response.action === 'decline') return undefined;
  if (response.action !== 'accept') {
    cancel();
    signal.throwIfAborted();
  }
  // The response was parsed from JSON. The schema of the question is validated next.
  const { content } = response as { readonly content?: JsonObject | null };
  return form.read(content ?? {}) ?? null;
}
