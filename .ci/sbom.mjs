// Writes what a release is built from, with the hash of every package, as CycloneDX 1.5: `node .ci/sbom.mjs > sbom.json`.
// It reads the two lock files and nothing else, so the same commit gives the same bytes.
import { readFileSync } from 'node:fs';

/** The packages of Cargo.lock that come from a registry, each with its SHA-256. */
function crates() {
  const found = [];
  for (const block of readFileSync('Cargo.lock', 'utf8').split('[[package]]').slice(1)) {
    const field = (name) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(block)?.[1];
    const [name, version, checksum] = ['name', 'version', 'checksum'].map(field);
    if (!field('source')) continue;
    if (!checksum) throw new Error(`${name} ${version} comes from elsewhere without a hash`);
    found.push(component(`pkg:cargo/${name}@${version}`, name, version, { alg: 'SHA-256', content: checksum }));
  }
  return found;
}

/** What is bundled into the web app, each with its SHA-512. */
function packages() {
  const found = [];
  for (const [path, entry] of Object.entries(JSON.parse(readFileSync('web/package-lock.json', 'utf8')).packages)) {
    if (!path.startsWith('node_modules/') || entry.dev || entry.link) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (!entry.integrity?.startsWith('sha512-')) throw new Error(`${name} ${entry.version} has no hash`);
    const content = Buffer.from(entry.integrity.slice('sha512-'.length), 'base64').toString('hex');
    found.push(component(`pkg:npm/${name.replace('@', '%40')}@${entry.version}`, name, entry.version, { alg: 'SHA-512', content }));
  }
  return found;
}

function component(purl, name, version, hash) {
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes: [hash] };
}

const version = /^version = "(.*)"$/m.exec(readFileSync('Cargo.toml', 'utf8'))?.[1] ?? '0.0.0';
const byRef = (one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : Number(one['bom-ref'] > other['bom-ref']));
// A name and version may stand in several places of a lock file.
const unique = new Map([...crates(), ...packages()].map((one) => [one['bom-ref'], one]));
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', name: 'toolbox', version } },
  components: [...unique.values()].sort(byRef),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
