import type { Wire } from './wire.ts';

/** Bytes as the reference writes them: base64 in the alphabet for addresses, padded. */
export const base64: Wire<string> = {
  load(value, trail) {
    if (typeof value !== 'string') return trail.mismatch('bytes as base64', value);
    return normalize(value) ?? trail.fail('Expected bytes as base64, found other text.');
  },
  dump: (value, trail) => normalize(value) ?? trail.fail('Expected bytes as base64.'),
};

/** The text in the one form, or `undefined` if it stands for no bytes. */
function normalize(text: string): string | undefined {
  const data = text.replace(/={1,2}$/, '');
  const extra = data.length % 4;
  if (/[^\w+/-]/.test(data) || extra === 1 || !hasWholeBytes(data, extra)) return undefined;
  if (text.length > data.length && text.length > data.length + ((4 - extra) % 4)) return undefined;
  const safe = data.replaceAll('+', '-').replaceAll('/', '_');
  return safe.padEnd(safe.length + ((4 - extra) % 4), '=');
}

/** Whether the last symbol says nothing beyond the last byte. */
function hasWholeBytes(data: string, extra: number): boolean {
  if (extra === 2) return /[AQgw]$/.test(data);
  return extra !== 3 || /[AEIMQUYcgkosw048]$/.test(data);
}
