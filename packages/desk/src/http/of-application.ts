/**
 * Asks a function of the application. Whatever it throws is an error of the server: it must not be taken
 * for one of the desk, which says something to whoever asks.
 */
export async function ofApplication<Result>(
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`'${name}' has failed, so the request was refused.`, { cause });
  }
}
