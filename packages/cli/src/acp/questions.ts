import { type CreateElicitationResponse, methods } from '@agentclientprotocol/sdk';
import type { DecisionEntry, JsonObject, JsonValue, PendingCall } from 'holdpoint';
import { schemaProblems } from 'holdpoint/deferral';
import { visible } from '../terminal/visible.ts';
import { type QuestionForm, questionForm } from './question-form.ts';
import type { TurnContext } from './turn-context.ts';

/** An editor that sends invalid inputs again and again must not keep the run busy. */
const MAX_ATTEMPTS = 3;

const NO_FORM =
  'The editor cannot show this question. Ask the user in your response, and end your turn.';

/** Asks the user for the input of a question with a form of the editor. */
export async function askQuestion(call: PendingCall, turn: TurnContext): Promise<DecisionEntry> {
  const { message = '', schema = {} } = call.question ?? {};
  const form = turn.hasForms ? questionForm(schema) : undefined;
  if (form === undefined) return call.deny(NO_FORM);
  let problems: readonly string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const response = await showForm([message, ...problems], form, call, turn);
    const input = readInput(response, form, turn);
    if (input === undefined) return call.deny('The user declined the question.');
    problems = schemaProblems(schema, input);
    if (problems.length === 0) return call.respond(input);
  }
  return call.deny(`The input of the user was invalid: ${problems.join(' ')}`);
}

async function showForm(
  lines: readonly string[],
  form: QuestionForm,
  call: PendingCall,
  turn: TurnContext,
): Promise<CreateElicitationResponse> {
  const text = lines.join('\n\n').split('\n').map(visible).join('\n');
  const response = await turn.client.request(
    methods.client.elicitation.create,
    {
      mode: 'form',
      sessionId: turn.sessionId,
      toolCallId: turn.updates.idOf(call),
      message: text,
      requestedSchema: form.schema,
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
