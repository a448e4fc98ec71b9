/** The factor for the number of cases of randomized tests. `npm run soak` increases it. */
export const SOAK_TIMES: number = Number(process.env['SOAK_TIMES'] ?? 1);
