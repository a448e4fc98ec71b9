import { UserError } from 'holdpoint';
import { checkFunction, checkOptions, isRecord, kindOf } from '../model/check-keys.ts';
import type { Redact, RedactCall } from './redact.ts';

/** Validates rules. A rule of another form would redact nothing. */
export function checkRedact(redact: Redact | undefined): void {
  // Programs without types pass anything.
  const given: unknown = redact;
  if (given === undefined) return;
  if (!isRecord(given)) {
    throw new UserError(
      `\`redact\` is ${kindOf(given)}. Pass a record of rules by the names of tools.`,
    );
  }
  for (const [name, rule] of Object.entries(given)) checkRule(`redact.${name}`, rule);
}

function checkRule(what: string, rule: unknown): void {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) {
    checkArgs(what, rule);
    return;
  }
  checkOptions<RedactCall>(`\`${what}\``, rule, { args: true, preview: true });
  checkArgs(`${what}.args`, rule.args);
  checkFunction(`${what}.preview`, rule.preview);
}

function checkArgs(what: string, args: unknown): void {
  if (typeof args === 'function') return;
  const isList = Array.isArray(args) && args.every((name) => typeof name === 'string');
  if (isList && args.length > 0) return;
  const given = isList ? 'an empty list' : kindOf(args);
  throw new UserError(
    `\`${what}\` is ${given}. Pass a list of member names, or a function that returns the arguments as people see them.`,
  );
}
