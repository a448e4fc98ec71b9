import { describe, expect, it } from 'vitest';
import { markup } from './markup.ts';

describe('a template', () => {
  it('keeps texts texts, also inside of attributes', () => {
    const text = `"><script>alert('1')</script>&amp;`;

    expect(markup`<p title="${text}">${text}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  it('shows what cannot be seen, and puts markup into markup', () => {
    const items = ['a\u202Eb', 'c'].map((text) => markup`<li>${text}</li>`);

    expect(markup`<ul>${items}${undefined}${markup`<br>`}${1}</ul>`.text).toBe(
      '<ul><li>a⟨U+202E⟩b</li><li>c</li><br>1</ul>',
    );
  });
});
