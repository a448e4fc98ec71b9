// Compares the API reports of all packages with the built declarations; `--write` updates the reports.
// Every entry point in the `exports` of a package has a report. A type that a report mentions must be
// exported by one of the entry points of its package.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

/** @typedef {{ readonly package: string, readonly name: string, readonly types: string }} Entry */

const root = fileURLToPath(new URL('..', import.meta.url));
const writes = process.argv.includes('--write');
let problems = 0;

for (const folder of ['packages/core', 'packages/desk', 'packages/cli', 'packages/restate']) {
  const entries = entriesOf(`${root}${folder}`);
  for (const entry of entries) checkReport(`${root}${folder}`, entry);
  checkForgottenExports(`${root}${folder}`, entries);
}
process.exitCode = problems > 0 ? 1 : 0;

/** @returns {Entry[]} the entry points of a package */
function entriesOf(/** @type {string} */ folder) {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return Object.entries(manifest.exports).flatMap(([key, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            package: manifest.name,
            name: key === '.' ? basename(manifest.name) : basename(key),
            types: target.types,
          },
        ],
  );
}

/** Writes the report of an entry point, or compares it. */
function checkReport(/** @type {string} */ folder, /** @type {Entry} */ entry) {
  const { apiReportChanged } = extract(folder, entry.types, {
    reportFileName: `${entry.name}.api.md`,
    ignoresForgottenExports: true,
  });
  if (!apiReportChanged || writes) return;
  problems += 1;
  console.error(
    `The API of ${entry.package} (${entry.name}) has changed. Run \`npm run api\` and commit the report.`,
  );
}

/** Reports types that the API of a package mentions and that none of its entry points exports. */
function checkForgottenExports(
  /** @type {string} */ folder,
  /** @type {readonly Entry[]} */ entries,
) {
  const all = `${folder}/dist/all-entries.d.ts`;
  const lines = entries.map(
    ({ types }) => `export * from './${relative('dist', types).replace(/\.d\.ts$/, '.js')}';`,
  );
  writeFileSync(all, `${lines.join('\n')}\n`);
  try {
    const { forgotten } = extract(folder, './dist/all-entries.d.ts', {});
    problems += forgotten.length;
    for (const name of forgotten) {
      console.error(
        `No entry point of ${entries[0]?.package} exports ${name}. Export it from one.`,
      );
    }
  } finally {
    rmSync(all);
  }
}

/**
 * Runs API Extractor on one declaration file.
 *
 * @param {string} folder
 * @param {string} types
 * @param {{ reportFileName?: string, ignoresForgottenExports?: boolean }} options
 */
function extract(folder, types, { reportFileName, ignoresForgottenExports = false }) {
  /** @type {string[]} */
  const forgotten = [];
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: `${folder}/${types}`,
      compiler: { tsconfigFilePath: `${folder}/tsconfig.json` },
      apiReport: {
        enabled: reportFileName !== undefined,
        ...(reportFileName !== undefined && { reportFileName }),
        reportFolder: `${folder}/api`,
        reportTempFolder: `${root}node_modules/.cache/api-extractor`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None, addToApiReportFile: false },
          'ae-forgotten-export': {
            logLevel: ignoresForgottenExports ? ExtractorLogLevel.None : ExtractorLogLevel.Warning,
            addToApiReportFile: false,
          },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: `${folder}/package.json`,
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: writes,
    messageCallback(message) {
      message.handled = true;
      if (message.messageId === 'ae-forgotten-export') {
        if (!ignoresForgottenExports)
          forgotten.push(/"(.*?)"/.exec(message.text)?.[1] ?? message.text);
        return;
      }
      if (message.logLevel !== 'warning' && message.logLevel !== 'error') return;
      if (message.messageId.startsWith('console-')) return;
      problems += 1;
      console.error(message.formatMessageWithLocation(folder));
    },
  });
  return { apiReportChanged, forgotten };
}
