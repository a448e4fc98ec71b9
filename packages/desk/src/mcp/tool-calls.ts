import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  type InputRequest,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { JsonObject } from 'holdpoint';
import type { Desk } from '../desk/desk.ts';
import { DeskError } from '../errors/desk-error.ts';
import { isInternalCode, publicMessageOf } from '../errors/public-message.ts';
import { adviceFor } from '../model/check-keys.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { RunRow } from '../model/run-row.ts';
import { gatewayPrompt } from './approval-gateway.ts';
import { addressOf, endResult, pendingResult, RESULT_TOOL, textResult } from './call-result.ts';
import { type CallState, type CallStates, hashOfCall, type ShownForm } from './call-state.ts';
import type { ClientSupport } from './client-support.ts';
import type { Forms } from './forms.ts';
import type { McpCaller, McpSettings } from './mcp-options.ts';
import type { ServedTool, ServedTools } from './served-tools.ts';
import { settledRun, waitWhileParked } from './wait-for-run.ts';

/** The parts of the calls of one caller. */
export interface ToolCallsDeps {
  readonly desk: Desk;
  readonly caller: McpCaller;
  readonly settings: McpSettings;
  readonly tools: ServedTools;
  readonly states: CallStates;
  readonly forms: Forms;
}

/** A request to call a tool. */
export interface CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly support: ClientSupport;
  readonly ctx: ServerContext;
}

/** The progress of a call in one request. */
interface Progress {
  readonly request: CallRequest;
  /** The state that the client sent back, or the one of a new call. */
  readonly state: CallState;
  /** True if the client declined a form or a page, so it receives no further request. */
  readonly hasDeclined: boolean;
  /** The reason why a response of the client was not recorded. */
  readonly note?: string | undefined;
}

type Result = CallToolResult | InputRequiredResult;

/**
 * The tool calls of one caller, which are runs of the desk. Only arguments and responses to forms
 * come from the client.
 */
export class ToolCalls {
  readonly #deps: ToolCallsDeps;

  constructor(deps: ToolCallsDeps) {
    this.#deps = deps;
  }

  /** Starts or continues a call, and waits a limited time for its outcome. */
  async call(request: CallRequest): Promise<Result> {
    const { ctx, name, args } = request;
    // The server verified its signature, owner and expiry before this request was handled.
    const state = ctx.mcpReq.requestState<CallState>();
    const call = hashOfCall(name, toJson(args ?? null));
    if (state !== undefined) {
      if (state.call !== call) throw invalidState();
      await this.#ownRun(state.runId);
      return this.#continue(request, state);
    }
    const runId =
      name === RESULT_TOOL ? await this.#runOfHandle(args) : await this.#start(name, args);
    const first: CallState = { call, runId, round: 0, forms: [], hasLink: false };
    return this.#respond({ request, state: first, hasDeclined: false });
  }

  async #start(name: string, args: unknown): Promise<string> {
    const tool = this.#toolNamed(name);
    const { person } = this.#deps.caller;
    return this.#deps.desk.start(tool.agent, promptFor(tool, args), {
      requester: person,
      conversationId: `${this.#conversations}${randomUUID()}`,
    });
  }

  #toolNamed(name: string): ServedTool {
    const { byName } = this.#deps.tools;
    const tool = byName.get(name);
    if (tool !== undefined) return tool;
    throw invalidParams(`Unknown tool \`${name}\`. ${adviceFor(name, [...byName.keys()])}`);
  }

  /** The beginning of the ids of all conversations that the caller started with a client. */
  get #conversations(): string {
    return `mcp/${encodeURIComponent(this.#deps.caller.person.id)}/`;
  }

  async #runOfHandle(args: unknown): Promise<string> {
    const { handle, ...others } = Object(args) as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(others)[0];
    if (typeof handle !== 'string' || unknown !== undefined) {
      throw invalidParams(`\`${RESULT_TOOL}\` takes exactly one argument: \`handle\`.`);
    }
    return (await this.#ownRun(handle)).id;
  }

  /** Returns a run that the caller started with a client. Another run is reported like a missing one. */
  async #ownRun(runId: string): Promise<RunRow> {
    const run = await this.#deps.desk.run(runId).catch((error: unknown) => {
      if (error instanceof DeskError && error.code === 'not-found') return undefined;
      throw error;
    });
    const isOfCaller =
      run?.requester?.id === this.#deps.caller.person.id &&
      run.conversationId.startsWith(this.#conversations) &&
      this.#deps.settings.agents.includes(run.agent);
    if (!isOfCaller)
      throw invalidParams('Unknown handle. Call the tool again to start a new call.');
    return run;
  }

  /** Records the responses to the forms of a state, then waits for the outcome. */
  async #continue(request: CallRequest, state: CallState): Promise<Result> {
    const { inputResponses } = request.ctx.mcpReq;
    let hasDeclined =
      state.hasLink &&
      Object.values(inputResponses ?? {}).some((one) => isDeclined(Object(one).action));
    const notes: string[] = [];
    for (const shown of state.forms) {
      const response = inputResponse(inputResponses, shown.holdId);
      const hold = await this.#deps.desk.hold(shown.holdId);
      if (hold.runId !== state.runId) throw invalidState();
      const read = this.#deps.forms.read(hold, response);
      if (read.kind === 'declined') hasDeclined = true;
      if (read.kind === 'invalid') notes.push('The response to the form was invalid.');
      if (read.kind !== 'decision') continue;
      const problem = await this.#decide(hold, shown, read.decision);
      if (problem !== undefined) notes.push(problem);
    }
    const note = notes.length === 0 ? undefined : [...new Set(notes)].join(' ');
    return this.#respond({ request, state, hasDeclined, note });
  }

  /** Records a decision in the name of the caller. Returns the reason if that is not possible. */
  async #decide(
    hold: HoldRow,
    { digest }: ShownForm,
    decision: Parameters<Desk['decide']>[1],
  ): Promise<string | undefined> {
    const { desk, caller, forms } = this.#deps;
    if (hold.state !== 'open') return 'This form was already used, so nothing was recorded.';
    if (!(await forms.isPermitted(hold))) return 'This call must be decided at the desk.';
    try {
      const { person: by, roles } = caller;
      await desk.decide(hold.id, decision, { by, roles, digest });
      return undefined;
    } catch (error) {
      // Errors of the store are reported, and may leave it unknown if the decision was recorded.
      if (error instanceof DeskError && !isInternalCode(error.code)) return error.message;
      throw error;
    }
  }

  /** Waits for the outcome of a call. While it is pending, asks the user in the client, or returns a handle. */
  async #respond(progress: Progress): Promise<Result> {
    const { desk, settings } = this.#deps;
    const { runId } = progress.state;
    const { signal } = progress.request.ctx.mcpReq;
    const deadline = Date.now() + settings.waitMs;
    for (;;) {
      const run = await settledRun(desk, runId, { deadline, signal });
      if (run.state !== 'parked') return this.#resultOf(run, progress);
      const holds = await this.#openHolds(runId);
      const mayAsk = this.#mayAsk(progress);
      const requested = mayAsk ? await this.#askInForms(holds, progress) : undefined;
      if (requested !== undefined) return requested;
      // The first response of a call contains the address of its hold without a wait.
      const isKnown = progress.state.hasLink || progress.request.name === RESULT_TOOL;
      if (isKnown && !progress.hasDeclined && Date.now() < deadline) {
        if (await waitWhileParked(desk, run, { deadline, signal })) continue;
      }
      return mayAsk ? this.#askForLink(run, holds, progress) : this.#handle(run, holds, progress);
    }
  }

  #mayAsk({ request, state, hasDeclined }: Progress): boolean {
    return !hasDeclined && state.round < request.support.maxRounds;
  }

  #resultOf(run: RunRow, progress: Progress): Result {
    const { desk, tools } = this.#deps;
    if (run.state === 'ready' || run.state === 'running') return this.#handle(run, [], progress);
    const isGateway = [...tools.byName.values()].some(
      (tool) => tool.agent === run.agent && tool.isGateway,
    );
    const result = endResult(run, isGateway, desk);
    if (progress.note === undefined) return result;
    return { ...result, content: [{ type: 'text', text: progress.note }, ...result.content] };
  }

  #handle(run: RunRow, holds: readonly HoldRow[], { note }: Progress): Result {
    return pendingResult(run, holds, this.#deps.desk, note);
  }

  /** Asks the user in forms of the client; `undefined` if no hold of the run may be decided there. */
  async #askInForms(
    holds: readonly HoldRow[],
    progress: Progress,
  ): Promise<InputRequiredResult | undefined> {
    const { forms } = this.#deps;
    if (!progress.request.support.forms) return undefined;
    const requests: [string, InputRequest][] = [];
    const shown: ShownForm[] = [];
    for (const hold of holds) {
      const request = (await forms.isPermitted(hold)) ? await forms.requestFor(hold) : undefined;
      if (request === undefined) continue;
      requests.push([hold.id, request]);
      shown.push({ holdId: hold.id, digest: hold.digest });
    }
    if (shown.length === 0) return undefined;
    return this.#ask(progress, Object.fromEntries(requests), { forms: shown });
  }

  /**
   * Refers the user to the page of the desk once. Then requests the client to send the call again.
   */
  async #askForLink(run: RunRow, holds: readonly HoldRow[], progress: Progress): Promise<Result> {
    const { desk } = this.#deps;
    const { support } = progress.request;
    if (progress.state.hasLink) return this.#ask(progress, undefined, { forms: [] });
    const [hold] = holds;
    if (hold === undefined || !support.links || desk.url === undefined) {
      return this.#handle(run, holds, progress);
    }
    const message =
      holds.length === 1
        ? 'A tool call needs a decision at the desk.'
        : `${holds.length} tool calls need a decision at the desk.`;
    // The page signs people in, so the address is no credential.
    const link = inputRequired.elicitUrl({ message, url: addressOf(hold.id, desk) });
    return this.#ask(progress, { link }, { forms: [], hasLink: true });
  }

  async #ask(
    { request, state }: Progress,
    inputRequests: Record<string, InputRequest> | undefined,
    change: Pick<CallState, 'forms'> & Partial<CallState>,
  ): Promise<InputRequiredResult> {
    const next = { ...state, ...change, round: state.round + 1 };
    const requestState = await this.#deps.states.sign(next, request.ctx);
    return inputRequired({ ...(inputRequests && { inputRequests }), requestState });
  }

  async #openHolds(runId: string): Promise<readonly HoldRow[]> {
    const { items } = await this.#deps.desk.holds({ runId, states: ['open'], limit: 100 });
    return items.toSorted((one, other) => one.callIndex - other.callIndex);
  }
}

function isDeclined(action: unknown): boolean {
  return action === 'decline' || action === 'cancel';
}

function promptFor({ definition, isGateway }: ServedTool, args: unknown): string {
  const { name } = definition;
  const given = toJson(args ?? {});
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidParams(`The arguments of \`${name}\` must be an object.`);
  }
  if (isGateway) return gatewayPrompt(name, given as JsonObject);
  const { prompt, ...others } = given as JsonObject;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) {
    throw invalidParams(`\`${name}\` has no argument \`${unknown}\`. Pass \`prompt\` only.`);
  }
  if (typeof prompt === 'string' && prompt.trim() !== '') return prompt;
  throw invalidParams(`\`${name}\` needs the argument \`prompt\`, a text.`);
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** The same error as for a state with a wrong signature. */
function invalidState(): ProtocolError {
  const data = { reason: 'invalid_request_state' };
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState',
    data,
  );
}

/** Returns the result for an error of the desk. Errors of other code may contain secrets. */
export function errorResult(error: unknown): CallToolResult {
  if (error instanceof ProtocolError) throw error;
  const text =
    error instanceof DeskError
      ? publicMessageOf(error)
      : 'The call failed. See the log of the desk.';
  return textResult(text, true);
}
