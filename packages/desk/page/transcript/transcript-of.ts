import type { JsonObject, JsonValue } from 'holdpoint';
import { isObject } from '../values/json-path.ts';

/** Who has said something. */
export type Speaker = 'person' | 'agent' | 'tool' | 'application';

/** One thing in a conversation. */
export interface Utterance {
  readonly who: Speaker;
  /** What it is, in our words: `says`, `thinks`, `calls`. */
  readonly what: string;
  readonly toolName?: string | undefined;
  /** A text, or a value as a tool gave it. */
  readonly content?: JsonValue | undefined;
}

/** A conversation as people read it. Messages come from outside: what is not understood is shown as it is. */
export function transcriptOf(messages: readonly JsonObject[]): readonly Utterance[] {
  return messages.flatMap((message) => {
    const parts = message['parts'];
    return Array.isArray(parts) ? parts.flatMap(utterancesOf) : [];
  });
}

function utterancesOf(part: JsonValue): readonly Utterance[] {
  if (!isObject(part)) return [];
  const content = part['content'];
  const toolName = typeof part['toolName'] === 'string' ? part['toolName'] : undefined;
  switch (part['kind']) {
    case 'system-prompt':
      return [{ who: 'application', what: 'tells the agent', content }];
    case 'user-prompt':
      return userContent(content);
    case 'text':
      return content === '' ? [] : [{ who: 'agent', what: 'says', content }];
    case 'thinking':
      return content === '' ? [] : [{ who: 'agent', what: 'thinks', content }];
    case 'tool-call':
    case 'native-tool-call':
      return [{ who: 'agent', what: 'calls', toolName, content: parsed(part['args']) }];
    case 'tool-return':
    case 'native-tool-return':
      return [{ who: 'tool', what: outcomeWord(part['outcome']), toolName, content }];
    case 'retry-prompt':
      return [{ who: 'tool', what: 'asks to try again', toolName, content }];
    case 'tool-availability-delta':
      return [{ who: 'application', what: 'offers more tools', content: part['toolsAdded'] }];
    case 'speech':
      return speech(part);
    default:
      return [{ who: 'application', what: 'notes', content: shownFile(part) }];
  }
}

/** What a person has said: texts, and files of which only the names are shown. */
function userContent(content: JsonValue | undefined): readonly Utterance[] {
  const items = Array.isArray(content) ? content : [content ?? ''];
  return items.flatMap((item): readonly Utterance[] => {
    if (typeof item === 'string') return [{ who: 'person', what: 'says', content: item }];
    if (!isObject(item) || item['kind'] === 'cache-point') return [];
    if (item['kind'] === 'text-content') {
      return [{ who: 'person', what: 'says', content: item['content'] }];
    }
    return [{ who: 'person', what: 'gives a file', content: shownFile(item) }];
  });
}

function speech(part: { readonly [name: string]: JsonValue }): readonly Utterance[] {
  const who = part['speaker'] === 'user' ? 'person' : 'agent';
  return [{ who, what: 'says aloud', content: part['transcript'] ?? 'Nobody wrote it down.' }];
}

/** A file without its bytes, which say nothing to people. */
function shownFile(item: { readonly [name: string]: JsonValue }): JsonValue {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) =>
      name === 'data' && typeof value === 'string'
        ? [name, `${value.length} characters of base64`]
        : [name, value],
    ),
  );
}

function outcomeWord(outcome: JsonValue | undefined): string {
  switch (outcome) {
    case 'denied':
      return 'was denied';
    case 'failed':
      return 'has failed';
    case 'interrupted':
      return 'was interrupted';
    default:
      return 'answers';
  }
}

/** Arguments are objects, or the JSON text that a model has sent. */
function parsed(args: JsonValue | undefined): JsonValue {
  if (typeof args !== 'string') return args ?? {};
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
