import { Converter } from 'typedoc';

/** The packages by the folders in which their sources are, and the entries whose folders are called otherwise. */
const PACKAGES = {
  core: 'holdpoint',
  desk: '@holdpoint/desk',
  cli: '@holdpoint/cli',
  restate: '@holdpoint/restate',
};
const INSIDE = /^(integrations|http|entries)\//;
const CALLED = { 'notify/receive': 'webhooks' };

/** Names the entries as they are imported, not as their files are called. */
export function load(/** @type {import('typedoc').Application} */ app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const entry of context.project.children ?? []) {
      const [, folder = '', path = ''] = /^(\w+)\/src\/?(.*)$/.exec(entry.name) ?? [];
      const name = PACKAGES[/** @type {keyof typeof PACKAGES} */ (folder)];
      const below = CALLED[/** @type {keyof typeof CALLED} */ (path)] ?? path.replace(INSIDE, '');
      entry.name = below === '' ? name : `${name}/${below}`;
    }
  });
}
