import { isPlainObject } from '../../internal/json.ts';
import type { UserContent, UserPrompt } from '../../messages/content.ts';
import { ChatProblem } from '../front-end/chat-problem.ts';
import { type ReadPromptOptions, readPrompt } from '../front-end/read-prompt.ts';
import type { AgUiContentPart } from './ag-ui-message.ts';

/** Returns prompts as the content of a user message. Ids of uploaded files and cache points mean nothing to a client. */
export function promptContent(prompts: readonly UserPrompt[]): string | AgUiContentPart[] {
  const contents = prompts.flatMap((prompt): readonly UserContent[] =>
    typeof prompt === 'string' ? [prompt] : prompt,
  );
  const parts = contents.flatMap(contentPartOf);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('') : parts;
}

function contentPartOf(content: UserContent): AgUiContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  switch (content.kind) {
    case 'text-content':
      return [{ type: 'text', text: content.content }];
    case 'binary': {
      const { data, mediaType } = content;
      const source = { type: 'data', value: data, mimeType: mediaType } as const;
      return [{ type: mediaKind(mediaType), source }];
    }
    case 'uploaded-file':
    case 'cache-point':
      return [];
    default: {
      const { kind, url, mediaType } = content;
      const type = kind === 'document-url' ? 'document' : mediaKind(kind.replace('-url', '/'));
      const mimeType = mediaType !== undefined && { mimeType: mediaType };
      return [{ type, source: { type: 'url', value: url, ...mimeType } }];
    }
  }
}

function mediaKind(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/** Reads the content of a message of the client: text, or parts with text and files. */
export function readPromptContent(content: unknown, options: ReadPromptOptions): UserPrompt {
  if (typeof content === 'string') return readPrompt([{ type: 'text', text: content }], options);
  if (!Array.isArray(content)) throw new ChatProblem(400, 'A message has no content.');
  return readPrompt(content.filter(isPlainObject).map(toFilePart), options);
}

/** Returns a part in the form that `readPrompt` expects: files have an address, which may be a `data:` address. */
function toFilePart(part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (part['type'] === 'text') return part;
  // Clients before 1.0 send `binary` parts, whose source is the part itself.
  const source = isPlainObject(part['source']) ? part['source'] : part;
  const { value, data = value, url = value, mimeType, type } = source;
  const isData = type === 'data' || (type === 'binary' && typeof data === 'string');
  const mediaType = typeof mimeType === 'string' ? mimeType : undefined;
  if (!isData) return { type: 'file', url, mediaType };
  return { type: 'file', url: `data:${mediaType ?? ''};base64,${String(data)}`, mediaType };
}
