import type { JsonObject, JsonValue } from 'holdpoint';
import { isObject } from '../values/json-path.ts';
import type { LiveMessage } from './live-message.ts';

/** The author of an entry. */
export type Author = 'person' | 'agent' | 'tool' | 'application';

/** An entry of a conversation. */
export interface Entry {
  readonly author: Author;
  /** A verb such as `thinks` or `calls`; missing for plain text. */
  readonly action?: string | undefined;
  readonly toolName?: string | undefined;
  readonly content?: JsonValue | undefined;
  /** True if the entry may still grow. */
  readonly isLive?: true | undefined;
}

/**
 * Returns the entries of a conversation. Messages are untrusted, so unknown parts are shown without
 * an interpretation.
 */
export function transcriptOf(messages: readonly JsonObject[]): readonly Entry[] {
  return messages.flatMap((message) => {
    const parts = message['parts'];
    return Array.isArray(parts) ? parts.flatMap(entriesOf) : [];
  });
}

/** Returns the entries of a message that the run has not finished yet. */
export function liveEntriesOf({ parts }: LiveMessage): readonly Entry[] {
  return parts.flatMap(entriesOf).map((entry) => ({ ...entry, isLive: true }));
}

function entriesOf(part: JsonValue): readonly Entry[] {
  if (!isObject(part)) return [];
  const content = part['content'];
  const toolName = typeof part['toolName'] === 'string' ? part['toolName'] : undefined;
  switch (part['kind']) {
    case 'system-prompt':
      return [{ author: 'application', action: 'instructs', content }];
    case 'user-prompt':
      return userContent(content);
    case 'text':
      return content === '' ? [] : [{ author: 'agent', content }];
    case 'thinking':
      return content === '' ? [] : [{ author: 'agent', action: 'thinks', content }];
    case 'tool-call':
    case 'native-tool-call':
      return [{ author: 'agent', action: 'calls', toolName, content: parseArgs(part['args']) }];
    case 'tool-return':
    case 'native-tool-return':
      return [{ author: 'tool', action: outcomeText(part['outcome']), toolName, content }];
    case 'retry-prompt':
      return [{ author: 'tool', action: 'requested a retry', toolName, content }];
    case 'tool-availability-delta':
      return [{ author: 'application', action: 'added tools', content: part['toolsAdded'] }];
    case 'speech':
      return speech(part);
    default:
      return [{ author: 'application', content: withoutData(part) }];
  }
}

function userContent(content: JsonValue | undefined): readonly Entry[] {
  const items = Array.isArray(content) ? content : [content ?? ''];
  return items.flatMap((item): readonly Entry[] => {
    if (typeof item === 'string') return [{ author: 'person', content: item }];
    if (!isObject(item) || item['kind'] === 'cache-point') return [];
    if (item['kind'] === 'text-content') {
      return [{ author: 'person', content: item['content'] }];
    }
    return [{ author: 'person', action: 'attached a file', content: withoutData(item) }];
  });
}

function speech(part: { readonly [name: string]: JsonValue }): readonly Entry[] {
  const author = part['speaker'] === 'user' ? 'person' : 'agent';
  return [{ author, action: 'spoke', content: part['transcript'] ?? 'No transcript.' }];
}

/** Returns a file without its bytes. */
function withoutData(item: { readonly [name: string]: JsonValue }): JsonValue {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) =>
      name === 'data' && typeof value === 'string'
        ? [name, `${value.length} characters of base64`]
        : [name, value],
    ),
  );
}

function outcomeText(outcome: JsonValue | undefined): string {
  switch (outcome) {
    case 'denied':
      return 'was denied';
    case 'failed':
      return 'failed';
    case 'interrupted':
      return 'was interrupted';
    default:
      return 'returned';
  }
}

function parseArgs(args: JsonValue | undefined): JsonValue {
  if (typeof args !== 'string') return args ?? {};
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
