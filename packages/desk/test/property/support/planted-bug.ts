import type { Theme } from './stories.ts';

/** A replacement of text in a source file. The text must occur exactly once. */
export interface Replacement {
  /** The file, from `packages/` on. */
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** A bug: one replacement, or several if the same mistake is caught in more than one place. */
export interface PlantedBug {
  readonly name: string;
  /** The stories in which it shows soonest. They are a part of all stories. */
  readonly theme: Theme | 'people';
  readonly replacements: readonly Replacement[];
}

/** Creates a bug from its replacements: the file, the text, and the text that replaces it. */
export function bug(
  theme: Theme,
  name: string,
  ...replacements: readonly (readonly [string, string, string])[]
): PlantedBug {
  return {
    name,
    theme,
    replacements: replacements.map(([file, text, by]) => ({ file, text, by })),
  };
}
