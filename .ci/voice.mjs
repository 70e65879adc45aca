// Fails where a text that people read has a phrase of the first column of "Phrases" in docs/voice.md. It reads the
// strings and the marked-up text of the web app, the strings of the Rust crates, and the descriptions of the API;
// comments, names in code, lists of words to recognize, licenses and tests are left out. What "Exceptions" lists
// is not found. `node .ci/voice.mjs --count` prints how many each file has.
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'

const MODES = new Set(['--count'])
const mode = process.argv[2]
if (mode !== undefined && !MODES.has(mode)) throw new Error(`unknown option ${mode}`)

const voice = readFileSync('docs/voice.md', 'utf8')
const section = (heading) => voice.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
// The first row is the heading.
const phrases = [...section('Phrases').matchAll(/^\| ([^|]+?) \| [^|]+? \|$/gm)].slice(1).map(([, not]) => not)
if (phrases.length < 10) throw new Error('docs/voice.md has no table of phrases')
const exceptions = [...section('Exceptions').matchAll(/^- (.+)$/gm)].map(([, words]) => words)
// A phrase may go on in the next line, after the backslash of a Rust string.
const anyOf = (words) => `(?<![\\w-])(?:${words.map((one) => one.replaceAll(' ', '[\\s\\\\]+')).join('|')})(?![\\w-])`
const pattern = new RegExp(anyOf(phrases), 'gi')
const excepted = exceptions.length > 0 ? new RegExp(anyOf(exceptions), 'gi') : undefined

const listed = (...globs) => execFileSync('git', ['ls-files', ...globs], { encoding: 'utf8' }).split('\n').filter(Boolean)
const isTest = (path) => /(^|\/)(tests?|testing)\/|\.test\.|_test|\/tests\.rs$|schema\.d\.ts$/.test(path)
/** Words that customers write and sentences that former versions stored, to be recognized, and licenses. */
const isWordList = (path) =>
  /opt_out\/|conflicts\/former_wordings\.rs|request_denial|affirmative_reply|recipient_name\/name_words|documents\/src\/response_time\.rs|\/OFL\.txt$/.test(path)

/** Blanks comments, so that the numbers of lines stay. */
const blank = (text) => text.replace(/[^\n]/g, ' ')
const withoutComments = (text) =>
  text.replace(/("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (all, string) =>
    string === undefined ? blank(all) : all,
  )

/** Web: blanks strings that are names for code, such as the key of a query. */
const withoutNames = (text) => text.replace(/'[a-z][\w./:-]*'/g, blank)

/** Whether a word between `before` and `after` is a name in code: a property, a parameter, a variable. */
const isName = (before, after) =>
  /[.!{]$/.test(before) ||
  /^(?:\s*(?:=|&&|\|\|)|\.\w|\?\.|\()/.test(after) ||
  (/(?:^|\n|[{,(])\s*$/.test(before) && /^\??:|^,\s*\n|^ \}/.test(after))

/** Rust: only string literals; what follows `mod tests` is a test. */
function rustTexts(source) {
  const code = source.split(/\n#\[cfg\(test\)\]\nmod tests \{/)[0]
  return code.replace(
    /r(#*)"[\s\S]*?"\1|'\\?.'|"(?:\\[\s\S]|[^"\\])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*|[^"r/']+|[\s\S]/g,
    (part) => (/^r?#*"/.test(part) ? part.replace(/\\[nt]/g, '  ') : blank(part)),
  )
}

const found = []
function check(path, source) {
  const text = excepted === undefined ? source : source.replace(excepted, blank)
  const isWeb = /\.tsx?$/.test(path)
  const lines = source.split('\n')
  for (const match of text.matchAll(pattern)) {
    const [before, after] = [text.slice(0, match.index), text.slice(match.index + match[0].length)]
    if (isWeb && isName(before.slice(-200), after.slice(0, 20))) continue
    const at = before.split('\n').length
    const phrase = match[0].replace(/[\s\\]+/g, ' ').toLowerCase()
    found.push({ path, at, phrase, line: lines[at - 1].trim() })
  }
}

for (const path of listed('web/src/*.ts', 'web/src/*.tsx')) {
  if (!isTest(path)) check(path, withoutNames(withoutComments(readFileSync(path, 'utf8'))))
}
for (const path of listed('api/src/*.rs', 'worker/src/*.rs', 'shared/src/*.rs', 'documents/src/*.rs', 'platform/src/*.rs', 'providers/src/*.rs')) {
  if (!isTest(path) && !isWordList(path)) check(path, rustTexts(readFileSync(path, 'utf8')))
}
for (const path of listed('documents/src/*.html', 'documents/src/*.txt', 'api/src/*.html', 'shared/src/*.html')) {
  if (!isWordList(path)) check(path, readFileSync(path, 'utf8'))
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
