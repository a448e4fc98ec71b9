import { describe, expect, it } from 'vitest';
import { markup } from './markup.ts';

describe('markup template', () => {
  it('escapes texts, also in attributes', () => {
    const text = `"><script>alert('1')</script>&amp;`;

    expect(String(markup`<p title="${text}">${text}</p>`)).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  it('shows invisible characters as numbers, and nests markup', () => {
    const items = ['a\u202Eb', 'c'].map((text) => markup`<li>${text}</li>`);

    expect(String(markup`<ul>${items}${undefined}${markup`<br>`}${1}</ul>`)).toBe(
      '<ul><li>a⟨U+202E⟩b</li><li>c</li><br>1</ul>',
    );
  });
});
