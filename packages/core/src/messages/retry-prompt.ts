import type { RetryPromptPart, ValidationIssue } from './request-part.ts';

/** Returns the text of a retry prompt for the model. */
export function renderRetryPrompt(part: RetryPromptPart): string {
  const reason = typeof part.content === 'string' ? part.content : renderIssues(part.content);
  const opening = part.toolName === undefined ? 'Your response cannot be used:\n' : '';
  return `${opening}${reason}\n\nPlease correct this and try again.`;
}

function renderIssues(issues: readonly ValidationIssue[]): string {
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
  return [`${count} found:`, ...issues.map(renderIssue)].join('\n');
}

function renderIssue({ path, message, input }: ValidationIssue): string {
  const location = path.length > 0 ? `${renderPath(path)}: ` : '';
  const found = input === undefined ? '' : ` (found ${JSON.stringify(input)})`;
  return `- ${location}${message}${found}`;
}

function renderPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
