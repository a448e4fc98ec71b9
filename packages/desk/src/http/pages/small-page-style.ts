/**
 * The style sheet of small pages. It has the colours, fonts and shapes of the inbox (`page/styles`). It is part
 * of the document, so that a page loads nothing and works without the built inbox.
 */
export const SMALL_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f4f2ec; --sheet: #fffdf9; --raised: #ffffff; --ink: #1b2220; --ink-soft: #56605c;
  --line: #d9d5c9; --line-strong: #8d9089; --accent: #1d5548; --on-accent: #ffffff;
  --warn: #7a4b00; --warn-wash: #fbf0d9; --warn-line: #d9a64a; --bad: #98291c;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --serif: ui-serif, "Iowan Old Style", "Palatino Linotype", Georgia, serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #111614; --sheet: #191f1d; --raised: #212826; --ink: #e8ebe6; --ink-soft: #a5afa9;
    --line: #2f3734; --line-strong: #75807a; --accent: #86cbb8; --on-accent: #0b1d18;
    --warn: #f0c273; --warn-wash: #2f2613; --warn-line: #7d6128; --bad: #f4a99d;
  }
}
*, *::before { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 100% / 1.5 var(--sans); }
body { margin: 0; overflow-wrap: anywhere; }
.brand { display: flex; align-items: center; gap: .5rem; max-width: 46rem; min-height: 3.5rem; margin: 0 auto; padding: 0 1rem; color: var(--accent); font: 600 1.125rem / 1.2 var(--serif); }
.brand path { fill: none; stroke: currentColor; stroke-width: 3; stroke-linecap: round; }
main { display: grid; gap: 1.25rem; max-width: 46rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1, h2, p, dl, dd, pre { margin: 0; }
h1 { font: 600 1.75rem / 1.2 var(--serif); }
h2 { font: 650 .8125rem / 1.4 var(--sans); color: var(--ink-soft); margin-bottom: .375rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
bdi { unicode-bidi: isolate; white-space: pre-wrap; }
pre { white-space: pre-wrap; unicode-bidi: isolate; font: 400 .875rem / 1.55 var(--mono); }
.lead { color: var(--ink-soft); }
.part, .facts { padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--sheet); }
.part.preview { border-left: 4px solid var(--accent); }
.prose { font: 500 1.375rem / 1.4 var(--serif); white-space: pre-wrap; }
.member { display: grid; gap: 0 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
.member:first-child { border-top: 0; padding-top: 0; }
.member dt { color: var(--ink-soft); font-size: .875rem; }
.member dd { min-width: 0; }
.member dl { padding-left: .875rem; border-left: 2px solid var(--line); }
.plain { font: 550 .9375em / 1.5 var(--mono); }
.quote { color: var(--ink-soft); }
.empty { color: var(--ink-soft); font-style: italic; }
[role=note] { padding: .875rem 1.125rem; border: 1px solid var(--warn-line); border-left-width: 4px; border-radius: .625rem; background: var(--warn-wash); }
.decision { display: grid; gap: 1rem; }
.decision form { display: grid; gap: .75rem; align-content: end; }
label { display: grid; gap: .25rem; font-size: .875rem; }
input[type=text] { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line-strong); border-radius: .625rem; background: var(--raised); color: var(--ink); font: 400 1rem / 1.4 var(--sans); }
button, .button { display: block; width: 100%; min-height: 3.25rem; padding: .5rem 1.125rem; border: 2px solid var(--accent); border-radius: .625rem; background: var(--raised); color: var(--accent); font: 600 1rem / 1.25 var(--sans); cursor: pointer; }
a.button { display: inline-block; width: auto; padding: .875rem 1.125rem; text-decoration: none; }
button.deny { border-color: var(--bad); color: var(--bad); }
button.primary { background: var(--accent); color: var(--on-accent); }
[action] > button { max-width: 24rem; }
@media (min-width: 36rem) {
  .member { grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr); }
  .decision { grid-template-columns: 1fr 1fr; }
}
`;
