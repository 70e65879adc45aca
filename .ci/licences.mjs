// Lists every package that is shipped and its licence, from Cargo's and npm's own data: `node .ci/licences.mjs`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });

/** What the two binaries are built from: normal dependencies only, on this machine's platform. */
function crates() {
  const tree = run('cargo', 'tree', '-p', 'api', '-p', 'worker', '-e', 'normal', '--prefix', 'none', '--no-dedupe', '-f', '{p}\t{l}');
  const found = new Map();
  for (const line of tree.split('\n')) {
    const [name, licence] = line.split('\t');
    const match = /^(\S+) v(\S+)(?: \((.*)\))?$/.exec((name ?? '').replace(' (*)', '').replace(' (proc-macro)', '').trim());
    if (match && !match[3]) found.set(`${match[1]} ${match[2]}`, licence);
  }
  return found;
}

/** What is bundled into the web app: the dependencies of web/package.json and theirs. */
function packages() {
  const lock = JSON.parse(readFileSync('web/package-lock.json', 'utf8')).packages;
  const found = new Map();
  for (const [path, entry] of Object.entries(lock)) {
    if (!path.startsWith('node_modules/') || entry.dev || entry.link || entry.optional) continue;
    const own = JSON.parse(readFileSync(`web/${path}/package.json`, 'utf8'));
    found.set(`${own.name} ${own.version}`, own.license);
  }
  return found;
}

const table = (rows) =>
  ['| package | licence |', '|---|---|', ...[...rows].sort().map(([name, licence]) => `| ${name} | ${licence} |`)].join('\n');
writeFileSync(
  'docs/licences.md',
  `# Licences of what is shipped\n\nMade by \`node .ci/licences.mjs\`. Toolbox itself is under the [MIT licence](../LICENSE).\n\n## In the two programs\n${table(crates())}\n\n## In the web app\n${table(packages())}\n\n## In the papers\n| typeface | licence |\n|---|---|\n| Toolbox Text, cut from Inter | OFL-1.1 ([text](../shared/src/pdf/fonts/OFL.txt)) |\n`,
);
