import type { ReactNode } from 'react';
import { Foreign } from '../text/foreign.tsx';
import { looksLikeData } from './json-text.ts';

/**
 * A text in quotes. One that looks like a value of another type is also called a text, for screen
 * readers that leave out quotes.
 */
export function QuotedText({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="value-text">
      {looksLikeData(text) && <span className="visually-hidden">text </span>}
      <span className="value-quote">"</span>
      <Foreign text={text} />
      <span className="value-quote">"</span>
    </span>
  );
}
