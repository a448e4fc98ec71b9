import { builtinModule } from './builtin-module.ts';
import { UserError } from '../errors/user-errors.ts';

/** The part of `node:crypto` that is needed here. */
interface NodeCrypto {
  /** Not in every runtime that has the module. */
  readonly hash?: (algorithm: string, text: string) => string;
}

/** Returns the SHA-256 of a text in UTF-8, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  // Node hashes a short text faster than `crypto.subtle`, which uses another thread.
  const ofNode = builtinModule<NodeCrypto>('node:crypto')?.hash?.('sha256', text);
  if (ofNode !== undefined) return ofNode;
  // Undefined in browsers without https, unlike in its type.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) {
    throw new UserError(
      'Digests require `crypto.subtle`, which browsers provide only in secure contexts. ' +
        'Serve the page over https, or from localhost.',
    );
  }
  const bytes = await subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
