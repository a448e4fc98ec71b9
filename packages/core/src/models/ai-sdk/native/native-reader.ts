import type { JsonValue } from '../../../internal/json.ts';
import type { ModelResponse } from '../../../messages/message.ts';
import type { NativeToolCallPart, NativeToolReturnPart } from '../../../messages/response-part.ts';
import type { SearchFormat } from './search-format.ts';

/** The parts of native tools that can be sent back to a model. */
export interface NativeReader {
  /** The name of the model's provider. */
  readonly system: string;
  /** True if the interface of the provider has native tools. */
  readonly takesNative: boolean;
  /** The format of the provider's tool search, if this call includes it. */
  readonly search: SearchFormat | undefined;
  /** Completes a result that is sent back, if the provider's package does not accept it unchanged. */
  readonly complete?: ((result: JsonValue) => JsonValue) | undefined;
}

/** A call or a result of a native tool. */
export type NativePart = NativeToolCallPart | NativeToolReturnPart;

/** Returns true if a part belongs to a search for tools. */
export function isSearchPart({ toolKind }: NativePart): boolean {
  return toolKind === 'tool-search';
}

/**
 * Returns true if a part can be sent back to the provider of a model.
 *
 * Parts of other providers cannot. A part with its own provider name cannot either, because it is from Pydantic
 * AI, which stores parts in another format. Only searches for tools have a common format.
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
