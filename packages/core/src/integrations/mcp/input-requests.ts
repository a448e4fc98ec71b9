import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { invariant } from '../../internal/invariant.ts';
import {
  jsonObjectFormat,
  JsonPath,
  listOf,
  objectOf,
  optional,
  stringFormat,
} from '../../messages/codec/index.ts';
import { InputRequired } from '../../tools/signals.ts';
import { readFormSchema } from './form-schema.ts';

/** The maximum number of requests in one response. */
const MAX_REQUESTS = 10;
const MAX_MESSAGE = 10_000;
const MAX_STATE = 1_000_000;

/** The state of a call that a server continues with an input. The history stores it. */
export interface ServerState {
  /** The opaque state of the server. */
  readonly requestState?: string | undefined;
  /** The names of the server for its requests for forms. */
  readonly forms: readonly string[];
  /** The names of its requests to open a page. */
  readonly links: readonly string[];
}

const stateFormat = objectOf<ServerState>({
  requestState: optional(stringFormat),
  forms: listOf(stringFormat),
  links: listOf(stringFormat),
});

/** A response that requires input, as the server sent it. */
export interface InputResponse {
  readonly requests: JsonObject;
  readonly requestState: string | undefined;
}

/** Returns the requests of a response that requires input; `undefined` for any other response. */
export function readInputResponse(response: unknown): InputResponse | undefined {
  if (!isPlainObject(response) || response['resultType'] !== 'input_required') return undefined;
  const path = JsonPath.root;
  const requests = jsonObjectFormat.read(response['inputRequests'] ?? {}, path.at('inputRequests'));
  const state = response['requestState'] ?? undefined;
  const requestState =
    state === undefined ? undefined : stringFormat.read(state, path.at('requestState'));
  if ((requestState?.length ?? 0) > MAX_STATE) {
    return path.at('requestState').fail(`Expected at most ${MAX_STATE} characters.`);
  }
  if (Object.keys(requests).length === 0 && requestState === undefined) {
    return path.fail('Expected `inputRequests` or `requestState`.');
  }
  return { requests, requestState };
}

/** Returns the question for the requests of a server. Everything in it is text of the server. */
export function inputRequiredBy(
  serverId: string,
  { requests, requestState }: InputResponse,
): InputRequired {
  const entries = Object.entries(requests);
  const path = JsonPath.of('inputRequests');
  if (entries.length > MAX_REQUESTS) path.fail(`Expected at most ${MAX_REQUESTS} requests.`);
  const messages: string[] = [];
  const forms: [string, JsonObject][] = [];
  const links: string[] = [];
  for (const [key, value] of entries) {
    const request = jsonObjectFormat.read(value, path.at(key));
    if (request['method'] !== 'elicitation/create') {
      return path.at(key).at('method').fail('Expected `elicitation/create`.');
    }
    const params = jsonObjectFormat.read(request['params'] ?? {}, path.at(key).at('params'));
    const at = path.at(key).at('params');
    const message = readTextMember(params, 'message', at);
    if ((params['mode'] ?? 'form') === 'url') {
      const url = readTextMember(params, 'url', at);
      if (!isWebAddress(url)) at.at('url').fail('Expected an address of http or https.');
      messages.push(`${message}\nThe server requests that you open this address: ${url}`);
      links.push(key);
    } else if ((params['mode'] ?? 'form') === 'form') {
      messages.push(message);
      forms.push([key, readFormSchema(params['requestedSchema'], at.at('requestedSchema'))]);
    } else at.at('mode').fail('Expected `form` or `url`.');
  }
  return new InputRequired({
    message: `MCP server \`${serverId}\` asks: ${messages.join('\n\n')}`,
    schema: schemaOf(forms),
    state: {
      ...(requestState !== undefined && { requestState }),
      forms: forms.map(([key]) => key),
      links,
    },
  });
}

/** Returns the responses to the requests of a server, from the input of a person and the stored state. */
export function inputResponses(state: ServerState, input: JsonValue): JsonObject {
  const { forms, links } = state;
  const accepted = links.map((key) => [key, { action: 'accept' }] as const);
  const isSingle = forms.length === 1;
  const filled = forms.map((key) => {
    const content = isSingle ? input : isPlainObject(input) ? input[key] : undefined;
    invariant(content !== undefined, 'the input was validated');
    return [key, { action: 'accept', content }] as const;
  });
  // A server chooses the names, so they must not change the prototype.
  return Object.fromEntries([...accepted, ...filled]) as JsonObject;
}

/** Reads the state of an earlier execution; `undefined` if it is another tool's. */
export function readServerState(value: JsonValue | undefined): ServerState | undefined {
  if (value === undefined) return undefined;
  try {
    return stateFormat.read(value, JsonPath.root);
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}

/** Returns the schema for one form, an object of forms, or a confirmation if there is only a page to open. */
function schemaOf(forms: readonly (readonly [string, JsonObject])[]): JsonObject {
  const [first] = forms;
  if (first === undefined) {
    const title = 'I completed the request at this address';
    const properties = { done: { type: 'boolean', enum: [true], title } };
    return { type: 'object', properties, required: ['done'] };
  }
  if (forms.length === 1) return first[1];
  return {
    type: 'object',
    properties: Object.fromEntries(forms),
    required: forms.map(([key]) => key),
  };
}

function readTextMember(params: JsonObject, name: string, path: JsonPath): string {
  const text = stringFormat.read(params[name], path.at(name));
  if (text.length > MAX_MESSAGE) path.at(name).fail(`Expected at most ${MAX_MESSAGE} characters.`);
  return text;
}

function isWebAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === 'https:' || protocol === 'http:';
}
