// Fails where a text that people read has a phrase of the first column of "Phrases" in docs/voice.md. It reads the
// strings and the marked-up text of the web app, the strings of the Rust crates, and the descriptions of the API;
// comments and tests are left out. `node .ci/voice.mjs --count` prints how many each file has.
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'

const MODES = new Set(['--count'])
const mode = process.argv[2]
if (mode !== undefined && !MODES.has(mode)) throw new Error(`unknown option ${mode}`)

const table = readFileSync('docs/voice.md', 'utf8').split('\n## Phrases\n')[1] ?? ''
const phrases = [...table.matchAll(/^\| ([^|]+?) \| ([^|]+?) \|$/gm)].slice(2).map(([, not, write]) => ({ not, write }))
if (phrases.length < 10) throw new Error('docs/voice.md has no table of phrases')
const pattern = new RegExp(`(?<![\\w-])(?:${phrases.map(({ not }) => not).join('|')})(?![\\w-])`, 'gi')

const listed = (...globs) => execFileSync('git', ['ls-files', ...globs], { encoding: 'utf8' }).split('\n').filter(Boolean)
const isTest = (path) => /opt_out\/|request_denial|affirmative_reply|(^|\/)(tests?|testing)\/|\.test\.|_test|\/tests\.rs$|schema\.d\.ts$/.test(path)

/** Blanks comments, so that the numbers of lines stay. */
const blank = (text) => text.replace(/[^\n]/g, ' ')
const withoutComments = (text) =>
  text.replace(/("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (all, string) =>
    string === undefined ? blank(all) : all,
  )

/** Rust: only string literals; what follows `mod tests` is a test. */
function rustTexts(source) {
  const code = source.split(/\n#\[cfg\(test\)\]\nmod tests/)[0]
  const kept = code.replace(
    /r(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*|[^"r/]+|[\s\S]/g,
    (part) => (/^r?#*"/.test(part) ? part : blank(part)),
  )
  // A log line is read by operators, who look for the program's words.
  return kept
}

const found = []
function check(path, text) {
  text.split('\n').forEach((line, at) => {
    for (const match of line.matchAll(pattern)) found.push({ path, at: at + 1, phrase: match[0].toLowerCase(), line: line.trim() })
  })
}

for (const path of listed('web/src/*.ts', 'web/src/*.tsx')) {
  if (!isTest(path)) check(path, withoutComments(readFileSync(path, 'utf8')))
}
for (const path of listed('api/src/*.rs', 'worker/src/*.rs', 'shared/src/*.rs', 'documents/src/*.rs', 'platform/src/*.rs', 'providers/src/*.rs')) {
  if (!isTest(path)) check(path, rustTexts(readFileSync(path, 'utf8')))
}
for (const path of listed('documents/src/*.html', 'documents/src/*.txt', 'api/src/*.html', 'shared/src/*.html')) {
  check(path, readFileSync(path, 'utf8'))
}

if (mode === '--count') {
  const counts = new Map()
  for (const { path } of found) counts.set(path, (counts.get(path) ?? 0) + 1)
  for (const [path, count] of [...counts].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${path}`)
  console.log(`${found.length} in all`)
} else {
  for (const { path, at, phrase, line } of found) console.error(`${path}:${at}: "${phrase}": ${line.slice(0, 160)}`)
  if (found.length > 0) {
    console.error(`${found.length} phrases of docs/voice.md; write what its second column says`)
    process.exit(1)
  }
}
