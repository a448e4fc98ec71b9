/** The parts of a tool that a search compares. */
export interface SearchableTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/**
 * Returns the tools whose names or descriptions share words with the queries, best first.
 *
 * Tools that are not in `known` come first, then tools that share more words. Otherwise the order is kept.
 */
export function keywordsSearch<T extends SearchableTool>(
  queries: readonly string[],
  tools: readonly T[],
  options: { readonly limit: number; readonly known?: ReadonlySet<string> | undefined },
): T[] {
  const wanted = new Set(queries.flatMap(wordsOf));
  const scored = tools
    .map((tool) => ({
      tool,
      score: sharedWords(wanted, tool),
      known: options.known?.has(tool.name),
    }))
    .filter(({ score }) => score > 0);
  scored.sort((a, b) => Number(a.known ?? false) - Number(b.known ?? false) || b.score - a.score);
  return scored.slice(0, options.limit).map(({ tool }) => tool);
}

function sharedWords(wanted: ReadonlySet<string>, tool: SearchableTool): number {
  const words = new Set(wordsOf(`${tool.name} ${tool.description ?? ''}`));
  let shared = 0;
  for (const word of wanted) if (words.has(word)) shared += 1;
  return shared;
}

/** Returns the words of a text in lower case. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
