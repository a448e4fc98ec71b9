/** How many times as much as usual the tests do that do the same again and again: `npm run soak` does more. */
export const SOAK_TIMES: number = Number(process.env['SOAK_TIMES'] ?? 1);
