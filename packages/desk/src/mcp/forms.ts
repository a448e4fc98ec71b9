import {
  inputRequired,
  type InputRequest,
  type InputResponseView,
} from '@modelcontextprotocol/server';
import type { JsonObject, JsonValue } from 'holdpoint';
import { questionForm, type QuestionFormSchema } from 'holdpoint/deferral';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import { ConversationSecrets } from '../http/redaction/conversation-secrets.ts';
import { holdFacts, questionView } from '../http/views/hold-view.ts';
import type { Decision } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { visible } from '../model/visible.ts';
import type { McpCaller, McpSettings } from './mcp-options.ts';

/** The maximum length of arguments and previews in a form, in characters. A longer call is decided at the desk. */
const MAX_SHOWN = 4_000;
const MAX_REASON = 1_000;

/** The choice with which a person requests changes from the agent; the reason is the message. */
const CHANGES = 'request changes';

const APPROVAL: QuestionFormSchema = {
  type: 'object',
  properties: {
    decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny', CHANGES] },
    reason: {
      type: 'string',
      title: 'Reason',
      description: 'The reason, or the changes to request from the agent.',
      maxLength: MAX_REASON,
    },
  },
  required: ['decision'],
};

/** The response of a client to a form. */
export type FormResponse =
  | { readonly kind: 'decision'; readonly decision: Decision }
  /** The client declined or cancelled the form, perhaps without showing it. */
  | { readonly kind: 'declined' }
  | { readonly kind: 'invalid' };

/** A factory of forms for the holds that a caller may decide in their client. */
export class Forms {
  readonly #desk: Desk;
  readonly #caller: McpCaller;
  readonly #settings: McpSettings;

  constructor(desk: Desk, caller: McpCaller, settings: McpSettings) {
    this.#desk = desk;
    this.#caller = caller;
    this.#settings = settings;
  }

  /** Returns whether the caller may decide a hold in a form now. A rule that throws permits nothing. */
  async isPermitted(hold: HoldRow): Promise<boolean> {
    // The page of the desk shows proposals with the votes of other approvers.
    if (hold.state !== 'open' || hold.kind === 'external' || hold.proposal !== undefined) {
      return false;
    }
    try {
      if (!this.#settings.mayUseForm(hold)) return false;
      const { person: by, roles } = this.#caller;
      const rights = await this.#desk.rightsOf(hold, { by, roles });
      return (rights.whyNotApprove ?? rights.whyNotDecide) === undefined;
    } catch (error) {
      contextOf(this.#desk).onError(error, { runId: hold.runId });
      return false;
    }
  }

  /** Returns the form for a hold, or `undefined` if it would not show the whole call. */
  async requestFor(hold: HoldRow): Promise<InputRequest | undefined> {
    const { redaction } = contextOf(this.#desk);
    const secrets = await new ConversationSecrets(this.#desk).of(hold.conversationId);
    const { title, path, validatedArgs, args, preview, ...facts } = holdFacts(
      hold,
      redaction,
      secrets,
    );
    const question = questionView(hold, secrets);
    const schema = question === undefined ? APPROVAL : questionForm(question.schema ?? {})?.schema;
    // The page shows hidden values as such; a text cannot.
    if (schema === undefined || facts.redacted) return undefined;
    const lines = [
      question?.message ?? `Approve this tool call? ${title ?? hold.toolName}`,
      `Tool: ${[...path.map((agent) => agent.toolName), hold.toolName].join(' › ')}`,
      ...(preview === undefined ? [] : [`Preview: ${textOf(preview)}`]),
      `Arguments: ${JSON.stringify(validatedArgs ?? args, undefined, 2)}`,
      ...(facts.inDoubt ? ['Warning: an earlier attempt of this call may have executed.'] : []),
      ...(facts.drifted ? ['Warning: the tool changed since the call was approved.'] : []),
      ...(facts.deniedBefore ? ['Warning: the same call was denied before.'] : []),
    ];
    const message = visible(lines.join('\n'));
    if (message.length > MAX_SHOWN) return undefined;
    // Fields have the types and keywords that the protocol permits.
    const requestedSchema = schema as unknown as ElicitSchema;
    return inputRequired.elicit({ message, requestedSchema });
  }

  /** Reads the response of a client. The desk validates the input of a question. */
  read(hold: HoldRow, response: InputResponseView): FormResponse {
    if (response.kind !== 'elicit') return { kind: 'invalid' };
    if (response.action === 'decline' && this.#settings.trustDeclines) {
      return { kind: 'decision', decision: { kind: 'deny' } };
    }
    if (response.action !== 'accept') return { kind: 'declined' };
    // The response was parsed from JSON.
    const content = toJson(response.content ?? {}) as JsonObject;
    if (hold.question !== undefined) {
      const value = questionForm(hold.question.schema)?.read(content);
      return value === undefined
        ? { kind: 'invalid' }
        : { kind: 'decision', decision: { kind: 'input', value } };
    }
    const { decision: chosen, reason } = content;
    const isReason = reason === undefined || typeof reason === 'string';
    if (!isReason) return { kind: 'invalid' };
    const text = reason?.slice(0, MAX_REASON);
    if (chosen === CHANGES && text) {
      return { kind: 'decision', decision: { kind: 'retry', message: text } };
    }
    if (chosen !== 'approve' && chosen !== 'deny') return { kind: 'invalid' };
    const given = text ? { reason: text } : {};
    return { kind: 'decision', decision: { kind: chosen, ...given } };
  }
}

type ElicitSchema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
