// Makes shared/src/domain/tenancy/account/refused_passwords.bin from a list of breached passwords, the commonest first, one per line:
// `node .ci/refused-passwords.mjs <list>`. Ours was made from the first million of Mark Burnett's ten million passwords
// (in the public domain). Kept are those that the length rule lets through: the 120,000 commonest, and every long one.
// Each is six bytes of a hash, so that the file holds no word that anybody would not read, and is searched by halves.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const [LEAST, LONG, MOST] = [8, 15, 120_000];
const BYTES = 6;

const long = (word) => [...word].length;
const words = readFileSync(process.argv[2], 'utf8').split(/\r?\n/).map((word) => word.toLowerCase()).filter((word) => long(word) >= LEAST);
const kept = [...words.slice(0, MOST), ...words.filter((word) => long(word) >= LONG)];
const heads = new Set(kept.map((word) => createHash('sha256').update(word).digest('hex').slice(0, 2 * BYTES)));
writeFileSync(new URL('../shared/src/domain/tenancy/account/refused_passwords.bin', import.meta.url), Buffer.from([...heads].sort().join(''), 'hex'));
console.log(`${heads.size} passwords are refused.`);
