import { z } from '@hono/zod-openapi';
import type { JsonObject, Message } from 'holdpoint';
import { MESSAGES_VERSION } from 'holdpoint/messages';
import { toJson } from '../../model/json.ts';
import { callArgs } from '../../redaction/calls-in.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { jsonObjectSchema } from './json-schema.ts';

/** The messages of a conversation, as a document that `loadMessages` reads. */
export interface HistoryView {
  readonly holdpoint: 'messages';
  readonly version: number;
  readonly messages: readonly JsonObject[];
}

export const historySchema: z.ZodType<HistoryView> = z
  .strictObject({
    holdpoint: z.literal('messages'),
    version: z.number(),
    messages: z.array(jsonObjectSchema),
  })
  .openapi('History');

/** A history without what people are not to see. */
export function historyView(
  messages: readonly Message[],
  redaction: Redaction,
  secrets: Secrets,
): HistoryView {
  return {
    holdpoint: 'messages',
    version: MESSAGES_VERSION,
    messages: messages.map((message) => {
      const parts = message.parts.map((part) => shownPart(part, redaction, secrets));
      return { ...takeOut({ ...message, parts: [] } as Message, secrets), parts };
    }),
  };
}

type Part = Message['parts'][number];

function shownPart(part: Part, redaction: Redaction, secrets: Secrets): JsonObject {
  return takeOut(withoutArgs(part, redaction), secrets);
}

/** A message or a part without secrets; it stays of its kind, whatever the secrets are. */
function takeOut(one: { readonly kind: string }, secrets: Secrets): JsonObject {
  // They are JSON objects, and stay objects.
  return { ...(secrets.takeOutOf(toJson(one)) as JsonObject), kind: one.kind };
}

function withoutArgs(part: Part, redaction: Redaction): { readonly kind: string } {
  if (!('toolName' in part) || part.toolName === undefined || !redaction.isAbout(part.toolName)) {
    return part;
  }
  if ('args' in part) {
    const shown = redaction.argsOf(callArgs(part));
    // A history has arguments as objects or as JSON text.
    return { ...part, args: typeof shown === 'object' ? shown : JSON.stringify(shown) } as Part;
  }
  if (part.kind !== 'retry-prompt' || typeof part.content === 'string') return part;
  // They quote what was sent.
  return {
    ...part,
    content: part.content.map((issue) => ({ ...issue, input: undefined })),
  } as Part;
}
