import { appendFileSync } from 'node:fs';
import { z } from 'zod';

/** The arguments of a refund. */
export const refundArgs = z.object({ order: z.string(), euros: z.number().positive() });

/** Pays a refund, and records it in the journal of the shop. */
export function pay(args: object): string {
  const refund = refundArgs.parse(args);
  appendFileSync(process.env['JOURNAL'] ?? '', `${JSON.stringify(refund)}\n`);
  return `paid ${refund.euros} euros`;
}
