import { Converter } from 'typedoc';

/** Names the entries as they are imported, not as their files are called. */
export function load(/** @type {import('typedoc').Application} */ app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const entry of context.project.children ?? []) {
      const name = entry.name.replace(/^integrations\//, '');
      entry.name = name === 'index' ? 'holdpoint' : `holdpoint/${name}`;
    }
  });
}
