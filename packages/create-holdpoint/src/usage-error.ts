/** An error in the command line or in the chosen folder. Its message is printed without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
