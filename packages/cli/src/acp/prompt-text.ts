import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';

/** Returns the text of a prompt. A file that the user mentioned becomes its name and address. */
export function promptText(blocks: readonly ContentBlock[]): string {
  const text = blocks.map(textOf).join('');
  if (text.trim() === '') throw RequestError.invalidParams(undefined, 'the prompt is empty');
  return text;
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    default:
      // The agent does not announce these kinds in `promptCapabilities`.
      throw RequestError.invalidParams(
        undefined,
        `the prompt contains content of the type ${JSON.stringify(block.type)}; send text or links`,
      );
  }
}
