/** Yields the values of a response with JSON lines. */
export async function* readJsonLines<Value>(response: Response): AsyncGenerator<Value> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of response.body ?? []) {
    rest += decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    // The OpenAPI document of the desk promises this type.
    for (const line of lines) yield JSON.parse(line) as Value;
  }
}
