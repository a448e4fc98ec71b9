import { isPlainObject } from '../../internal/json.ts';
import type { BinaryContent, UserContent, UserPrompt } from '../../messages/content.ts';
import type { Message } from '../../messages/message.ts';
import type { UiFilePart, UiSourcePart, UiTextPart } from './ui-message.ts';

/** Returns a file by value as a part with a `data:` address. */
export function uiFilePart({ data, mediaType }: BinaryContent): UiFilePart {
  return { type: 'file', url: `data:${mediaType};base64,${data}`, mediaType };
}

/** Returns the sources of responses. The AI SDK models store them in the details of the provider. */
export function sourcesOf(messages: readonly Message[]): UiSourcePart[] {
  return messages.flatMap((message) => {
    const sources = message.kind === 'response' ? message.providerDetails?.['sources'] : undefined;
    return Array.isArray(sources) ? sources.flatMap(sourcePart) : [];
  });
}

function sourcePart(source: unknown): UiSourcePart[] {
  if (!isPlainObject(source) || source['sourceType'] !== 'url') return [];
  const { id, url, title } = source;
  // A link that a model wrote must not execute code in the page.
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return [];
  return [
    {
      type: 'source-url',
      sourceId: typeof id === 'string' ? id : url,
      url,
      ...(typeof title === 'string' && { title }),
    },
  ];
}

/** Returns a prompt as parts. Ids of uploaded files and cache points mean nothing to a client. */
export function uiPromptParts(prompt: UserPrompt): (UiTextPart | UiFilePart)[] {
  if (typeof prompt === 'string') return [{ type: 'text', text: prompt }];
  return prompt.flatMap(contentPart);
}

const FILE_MEDIA_TYPES = {
  'image-url': 'image/*',
  'audio-url': 'audio/*',
  'video-url': 'video/*',
  'document-url': 'application/octet-stream',
} as const;

function contentPart(content: UserContent): (UiTextPart | UiFilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  switch (content.kind) {
    case 'text-content':
      return [{ type: 'text', text: content.content }];
    case 'binary':
      return [uiFilePart(content)];
    case 'uploaded-file':
    case 'cache-point':
      return [];
    default: {
      const { kind, url, mediaType = FILE_MEDIA_TYPES[kind] } = content;
      return [{ type: 'file', url, mediaType }];
    }
  }
}
