/** A model response, independent of the provider's protocol. */
export interface ProviderResponse {
  readonly content: readonly ResponseContent[];
  /** The end of a stream: complete; closed or reset before the closing events; or none. */
  readonly ending: 'complete' | 'cut' | 'torn' | 'stalled';
}

export type ResponseContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args: string };

/** The format of one provider's API. */
export interface Protocol {
  /** Returns the response body without streaming. */
  whole(response: ProviderResponse): unknown;
  /** Returns the events of a streamed response, and the closing events by `ending`. */
  events(response: ProviderResponse): {
    readonly body: readonly SseEvent[];
    readonly closing: readonly SseEvent[];
  };
}

/** One event of a stream; `event` is its name where the protocol has names. */
export interface SseEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** Returns a text in two parts, so that the client has to join them. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

export function hasCall({ content }: ProviderResponse): boolean {
  return content.some((item) => item.kind === 'call');
}
