import { type DefaultTheme, defineConfig, type MarkdownEnv } from 'vitepress';
import { slug } from './slug.ts';
import { siteLink } from './sources.ts';

/** The pages by the task of their readers. The files keep their names, so that links stay valid. */
const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Tutorial: a support bot', link: '/tutorial' },
      { text: 'Examples', link: '/source/examples/README-md' },
    ],
  },
  {
    text: 'Guides: approve calls',
    items: [
      { text: 'Approve inline', link: '/inline-approval' },
      { text: 'Store and resume runs', link: '/resuming' },
      { text: 'Approve at the desk', link: '/desk' },
      { text: 'Workers and states', link: '/workers' },
      { text: 'The inbox', link: '/inbox' },
      { text: 'Add the inbox to your app', link: '/mount-the-inbox' },
      { text: 'Ask the user', link: '/questions' },
      { text: 'Previews and digests', link: '/previews' },
      { text: 'Execute at most once', link: '/ledger' },
    ],
  },
  {
    text: 'Guides: approvers',
    items: [
      { text: 'Who may approve', link: '/approvers' },
      { text: 'Edit and request changes', link: '/request-changes' },
      { text: 'Grants', link: '/grants' },
      { text: 'Try a policy', link: '/try-a-policy' },
      { text: 'Escalate and delegate', link: '/escalation' },
      { text: 'Hide values', link: '/redaction' },
      { text: 'Sign in', link: '/sign-in' },
      { text: 'Service accounts', link: '/service-accounts' },
      { text: 'Notify approvers', link: '/notifications' },
      { text: 'Approve in chat channels', link: '/chat-channels' },
    ],
  },
  {
    text: 'Guides: front ends',
    items: [
      { text: 'Show a run in your app', link: '/chat-ui' },
      { text: 'Chat pages at a desk', link: '/chat-at-a-desk' },
      { text: 'AG-UI', link: '/ag-ui' },
      { text: 'Approve in your editor', link: '/acp' },
      { text: 'Be an MCP server', link: '/mcp-server' },
      { text: 'Stream', link: '/streaming' },
    ],
  },
  {
    text: 'Guides: agents and tools',
    items: [
      { text: 'MCP servers', link: '/mcp' },
      { text: 'Sub-agents', link: '/sub-agents' },
      { text: 'Toolset lifecycle', link: '/toolset-lifecycle' },
      { text: 'Tools of the AI SDK', link: '/ai-sdk-tools' },
      { text: 'Approve calls of any agent', link: '/requests' },
      { text: 'Other frameworks', link: '/other-frameworks' },
      { text: 'Sealed runs', link: '/sealed-runs' },
      { text: 'Test', link: '/testing' },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Deploy', link: '/operate/deploy' },
      { text: 'Configure', link: '/operate/configure' },
      { text: 'Migrate', link: '/operate/migrate' },
      { text: 'Observe', link: '/operate/observe' },
      { text: 'Back up and restore', link: '/operate/back-up' },
      { text: 'Retain and erase', link: '/operate/retain-and-erase' },
      { text: 'Schedule, dead letters', link: '/scheduling' },
      { text: 'Scale', link: '/operate/scale' },
      { text: 'Capacity', link: '/operate/capacity' },
      { text: 'Scale out on an engine', link: '/operate/scale-out' },
      { text: 'Agents in Restate handlers', link: '/operate/restate-handlers' },
      { text: 'Other engines', link: '/operate/engines' },
      { text: 'Troubleshoot', link: '/operate/troubleshoot' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Tools', link: '/tools' },
      { text: 'Toolsets', link: '/toolsets' },
      { text: 'Deferred tools', link: '/deferred-tools' },
      { text: 'Models', link: '/models' },
      { text: 'Outputs', link: '/outputs' },
      { text: 'The run context', link: '/run-context' },
      { text: 'Capabilities', link: '/capabilities' },
      { text: 'Native tools', link: '/native-tools' },
      { text: 'MCP servers in detail', link: '/mcp-details' },
      { text: 'Options of the desk', link: '/desk-options' },
      { text: 'Events and audit', link: '/desk-events' },
      { text: 'HTTP API', link: '/desk-http' },
      { text: 'Command line', link: '/cli' },
      { text: 'Command line at a desk', link: '/cli-desk' },
      { text: 'Observability', link: '/observability' },
      { text: 'Errors', link: '/errors' },
      { text: 'API', link: '/api/' },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
  {
    text: 'Guarantees and limits',
    items: [
      { text: 'Guarantees', link: '/guarantees' },
      { text: 'Probes', link: '/probes' },
      { text: 'Performance', link: '/performance' },
      { text: 'Stability', link: '/stability' },
      { text: 'Security policy', link: '/source/SECURITY-md' },
    ],
  },
  {
    text: 'Coming from',
    items: [
      { text: 'The AI SDK', link: '/from-ai-sdk' },
      { text: 'OpenAI Agents', link: '/from-openai-agents' },
      { text: 'Pydantic AI', link: '/from-pydantic-ai' },
      { text: 'Differences from Pydantic AI', link: '/differences' },
      { text: 'Pydantic AI runs', link: '/pydantic' },
    ],
  },
  {
    text: 'Internals',
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Environment and history', link: '/environment' },
      { text: 'Architecture of the desk', link: '/desk-architecture' },
      { text: 'Decisions', link: '/decisions/' },
    ],
  },
];

/** The entry points of the packages. Each has a page that lists its exports. */
const corePaths = [
  '',
  '/ag-ui',
  '/agents',
  '/ai-sdk',
  '/ai-sdk-ui',
  '/capabilities',
  '/deferral',
  '/ledger',
  '/mcp',
  '/messages',
  '/models',
  '/otel',
  '/output',
  '/pydantic',
  '/sealed',
  '/testing',
  '/tools',
  '/toolsets',
];
const deskPaths = [
  '',
  '/chat',
  '/chat-ui',
  '/client',
  '/http',
  '/mcp',
  '/sign-in',
  '/otel',
  '/webhooks',
  '/testing',
];
const entries = [
  ...corePaths.map((path) => `holdpoint${path}`),
  ...deskPaths.map((path) => `@holdpoint/desk${path}`),
  '@holdpoint/cli',
  '@holdpoint/restate',
];
const api: DefaultTheme.SidebarItem[] = [
  {
    text: 'API reference',
    link: '/api/',
    items: entries.map((entry) => ({ text: entry, link: `/api/${entry}/` })),
  },
  { text: 'Guide', link: '/quickstart' },
];

/** Returns the searchable part of a page: all of a document, and the summary of a page of the API reference. */
function searchable(html: string, env: MarkdownEnv): string {
  if (env.frontmatter?.['search'] === false) return '';
  return env.relativePath.startsWith('api/') ? (html.split('<h2')[0] ?? '') : html;
}

/**
 * Ranks the pages of newcomers higher in a search, and the API, errors and internals lower. The browser receives only the text
 * of this function, so it refers to nothing outside.
 */
function rankOf(path: string): number {
  if (/^\/(?:quickstart|concepts|getting-started|tutorial)\b/.test(path)) return 1.5;
  const isForLookup =
    /^\/(?:api|decisions|source|architecture|desk-architecture|differences|errors|performance)\b/.test(
      path,
    );
  return isForLookup ? 0.5 : 1;
}

/** The maximum length of code in a sentence that stays on one line, on a phone as well. */
const MAX_SHORT_CODE = 24;

/** Shows code without colours. They take half of the time of a build, and no test looks at them. */
function plainCode(code: string): string {
  const escaped = code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<pre v-pre><code>${escaped}</code></pre>`;
}

export default defineConfig({
  title: 'Holdpoint',
  description: 'Human approval for AI agents: human-in-the-loop tool calls that survive restarts.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  // The site loads nothing from other hosts, at build time or in the browser.
  metaChunk: true,
  markdown: {
    ...(process.env['DOCS_COLOURS'] === 'off' && { highlight: plainCode }),
    anchor: { slugify: slug },
    config(md) {
      md.core.ruler.push('site-links', ({ tokens, env }) => {
        // VitePress sets the path of the document under `docs`.
        const page = String(env.relativePath ?? '');
        for (const token of tokens) {
          if (token.type === 'html_block') {
            token.content = token.content.replaceAll(
              /href="([^"]+)"/g,
              (_, href: string) => `href="${siteLink(page, href)}"`,
            );
          }
          for (const child of token.children ?? []) {
            // An option such as `--by` must not break after its hyphens.
            const isShort = child.type === 'code_inline' && child.content.length <= MAX_SHORT_CODE;
            if (isShort) child.attrJoin('class', 'short');
            const href = child.type === 'link_open' && child.attrGet('href');
            if (href) child.attrSet('href', siteLink(page, href));
          }
        }
      });
    },
  },
  themeConfig: {
    // The brand of the inbox: `packages/desk/page/styles/tokens.css`.
    logo: '/logo.svg',
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'The desk', link: '/desk' },
      { text: 'Guarantees', link: '/guarantees' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: { '/': guide, '/api/': api },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        _render: (text, env, md) => searchable(md.render(text, env), env),
        miniSearch: { searchOptions: { boostDocument: rankOf } },
      },
    },
  },
});
