import { type DefaultTheme, defineConfig, type MarkdownEnv } from 'vitepress';
import { slug } from './slug.ts';
import { siteLink } from './sources.ts';

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Deferred tools', link: '/deferred-tools' },
      { text: 'What is guaranteed', link: '/guarantees' },
      { text: 'Examples', link: '/source/examples/README-md' },
    ],
  },
  {
    text: 'Agents',
    items: [
      { text: 'Models', link: '/models' },
      { text: 'Outputs', link: '/outputs' },
      { text: 'Streaming', link: '/streaming' },
      { text: 'The run context', link: '/run-context' },
      { text: 'Testing', link: '/testing' },
      { text: 'Errors', link: '/errors' },
    ],
  },
  {
    text: 'Tools',
    items: [
      { text: 'Tools', link: '/tools' },
      { text: 'Toolsets', link: '/toolsets' },
      { text: 'Capabilities', link: '/capabilities' },
      { text: 'MCP servers', link: '/mcp' },
      { text: 'Native tools', link: '/native-tools' },
      { text: 'Tools of the AI SDK', link: '/ai-sdk-tools' },
    ],
  },
  {
    text: 'Runs elsewhere',
    items: [
      { text: 'The desk', link: '/desk' },
      { text: 'The inbox', link: '/inbox' },
      { text: 'Who may answer', link: '/approvers' },
      { text: 'Notifications', link: '/notifications' },
      { text: 'Sign-in', link: '/sign-in' },
      { text: 'Sealed runs', link: '/sealed-runs' },
      { text: 'Runs of Pydantic AI', link: '/pydantic' },
    ],
  },
  {
    text: 'Coming from',
    items: [
      { text: 'Pydantic AI', link: '/from-pydantic-ai' },
      { text: 'Differences from Pydantic AI', link: '/differences' },
      { text: 'The AI SDK', link: '/from-ai-sdk' },
      { text: 'OpenAI Agents', link: '/from-openai-agents' },
    ],
  },
  {
    text: 'How it is built',
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Environment and history', link: '/environment' },
      { text: 'Architecture of the desk', link: '/desk-architecture' },
      { text: 'Performance', link: '/performance' },
      { text: 'Glossary', link: '/glossary' },
      { text: 'Decisions', link: '/decisions/' },
      { text: 'API reference', link: '/api/' },
    ],
  },
];

/** The entries of the packages; the pages of each list what it exports. */
const entries = [
  ...[
    '',
    '/agents',
    '/capabilities',
    '/deferral',
    '/ledger',
    '/messages',
    '/models',
    '/output',
    '/tools',
    '/toolsets',
    '/testing',
    '/mcp',
    '/ai-sdk',
    '/pydantic',
    '/sealed',
  ].map((one) => `holdpoint${one}`),
  ...['', '/client', '/sign-in', '/webhooks', '/testing'].map((one) => `@holdpoint/desk${one}`),
  '@holdpoint/cli',
];
const api: DefaultTheme.SidebarItem[] = [
  {
    text: 'API reference',
    link: '/api/',
    items: entries.map((entry) => ({ text: entry, link: `/api/${entry}/` })),
  },
  { text: 'Guide', link: '/getting-started' },
];

/** What is found by a search: documents whole, of the reference the name of each page and what it is for. */
function searchable(html: string, env: MarkdownEnv): string {
  if (env.frontmatter?.['search'] === false) return '';
  return env.relativePath.startsWith('api/') ? (html.split('<h2')[0] ?? '') : html;
}

export default defineConfig({
  title: 'Holdpoint',
  description: 'Agents whose tool calls can wait for a person.',
  lang: 'en',
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  // Nothing is asked of other hosts, neither while it is built nor by who reads it.
  metaChunk: true,
  markdown: {
    anchor: { slugify: slug },
    config(md) {
      md.core.ruler.push('site-links', ({ tokens, env }) => {
        // VitePress gives each document the path that it has under the folder of the documents.
        const page = String(env.relativePath ?? '');
        for (const token of tokens) {
          if (token.type === 'html_block') {
            token.content = token.content.replaceAll(
              /href="([^"]+)"/g,
              (_, href: string) => `href="${siteLink(page, href)}"`,
            );
          }
          for (const child of token.children ?? []) {
            const href = child.type === 'link_open' && child.attrGet('href');
            if (href) child.attrSet('href', siteLink(page, href));
          }
        }
      });
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/getting-started' },
      { text: 'Deferred tools', link: '/deferred-tools' },
      { text: 'Guarantees', link: '/guarantees' },
      { text: 'The desk', link: '/desk' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: { '/': guide, '/api/': api },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: (text, env, md) => searchable(md.render(text, env), env) },
    },
  },
});
