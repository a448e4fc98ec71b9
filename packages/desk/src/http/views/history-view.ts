import { z } from '@hono/zod-openapi';
import type { JsonObject, Message } from 'holdpoint';
import type { Page } from '../../model/page.ts';
import { toJson } from '../../model/json.ts';
import { callArgs } from '../../redaction/calls-in.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { jsonObjectSchema } from './schemas.ts';

/** A page of the messages of a conversation. */
export interface MessagePage extends Page<JsonObject> {
  /** The version of the format of the messages, for `messageCodec`. */
  readonly version: number;
}

export const messagePageSchema: z.ZodType<MessagePage> = z
  .strictObject({
    items: z.array(jsonObjectSchema),
    next: z.string().optional(),
    version: z.number(),
  })
  .openapi('MessagePage');

/** Returns messages without the values that approvers must not see. */
export function messageViews(
  messages: readonly Message[],
  redaction: Redaction,
  secrets: Secrets,
): readonly JsonObject[] {
  return messages.map((message) => {
    const parts = message.parts.map((part) => takeOut(withoutArgs(part, redaction), secrets));
    return { ...takeOut({ ...message, parts: [] } as Message, secrets), parts };
  });
}

type Part = Message['parts'][number];

/** Returns a message or a part without secrets. Its kind stays, even if a secret has the same text. */
function takeOut(value: { readonly kind: string }, secrets: Secrets): JsonObject {
  // Removing values from an object leaves an object.
  return { ...(secrets.takeOutOf(toJson(value)) as JsonObject), kind: value.kind };
}

function withoutArgs(part: Part, redaction: Redaction): { readonly kind: string } {
  if (!('toolName' in part) || part.toolName === undefined || !redaction.isAbout(part.toolName)) {
    return part;
  }
  if ('args' in part) {
    const shown = redaction.argsOf(callArgs(part));
    // Messages have arguments as objects or as JSON text.
    return { ...part, args: typeof shown === 'object' ? shown : JSON.stringify(shown) } as Part;
  }
  if (part.kind !== 'retry-prompt' || typeof part.content === 'string') return part;
  // The issues quote the arguments that the model sent.
  return {
    ...part,
    content: part.content.map((issue) => ({ ...issue, input: undefined })),
  } as Part;
}
