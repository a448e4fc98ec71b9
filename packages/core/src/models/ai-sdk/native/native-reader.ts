import type { JsonValue } from '../../../internal/json.ts';
import type { ModelResponse } from '../../../messages/message.ts';
import type { NativeToolCallPart, NativeToolReturnPart } from '../../../messages/response-part.ts';
import type { SearchFormat } from './search-wire.ts';

/** What a model takes back of the tools that a provider ran. */
export interface NativeReader {
  /** Who provides the model. */
  readonly system: string;
  /** Whether the interface has native tools at all. */
  readonly takesNative: boolean;
  /** How the provider tells of its searches for tools, where this call offers one. */
  readonly search: SearchFormat | undefined;
  /** A result as the provider's client takes it back, where it does not take what it gave. */
  readonly complete?: ((result: JsonValue) => JsonValue) | undefined;
}

/** A part about a tool that a provider ran. */
export type NativePart = NativeToolCallPart | NativeToolReturnPart;

/** Whether a part is about a search for tools. */
export function isSearchPart({ toolKind }: NativePart): boolean {
  return toolKind === 'tool-search';
}

/**
 * Whether a part can go back to the provider of a model.
 *
 * What another provider said cannot. Neither can a part that names its provider itself: it is not
 * from the AI SDK, and Pydantic AI keeps what providers say in another form. Only searches for tools
 * have the same form everywhere.
 */
export function canSendBack(
  part: NativePart,
  response: ModelResponse,
  reader: NativeReader,
): boolean {
  const { system, takesNative, search } = reader;
  if (!takesNative) return false;
  const isFromHere = (part.providerName ?? response.providerName ?? system) === system;
  if (isSearchPart(part)) return isFromHere && search !== undefined;
  return isFromHere && part.providerName === undefined;
}
