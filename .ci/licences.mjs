// Lists every package that is shipped and its licence, from Cargo's and npm's own data, into docs/licences.md:
// `node .ci/licences.mjs`; with `--print` to standard output instead, for whoever compares.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });

/** Whatever machine asks, the list is that of this one, so that it is the same everywhere. */
const PLATFORM = 'x86_64-unknown-linux-gnu';

/** What the two binaries are built from: normal dependencies only. */
function crates() {
  const which = ['--locked', '--target', PLATFORM, '-p', 'api', '-p', 'worker', '-e', 'normal'];
  const tree = run('cargo', 'tree', ...which, '--prefix', 'none', '--no-dedupe', '-f', '{p}\t{l}');
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
const list = `# Licences of what is shipped\n\nMade by \`make licences\`. Toolbox itself is under the [MIT licence](../LICENSE).\n\n## In the two programs\n${table(crates())}\n\n## In the web app\n${table(packages())}\n\n## In the papers\n| typeface | licence |\n|---|---|\n| Toolbox Text, cut from Inter | OFL-1.1 ([text](../documents/src/pdf/fonts/OFL.txt)) |\n`;
if (process.argv[2] === '--print') process.stdout.write(list);
else writeFileSync('docs/licences.md', list);
