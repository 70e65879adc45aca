// Fails when the last build is heavier than agreed. Needs `npm run build` first.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const KB = 1000
const LIMITS = {
  publicEntry: 110 * KB,
  signedInEntry: 150 * KB,
  lazyScreen: 40 * KB,
  // recharts: fetched when the dashboard's chart comes into sight, by nothing else and never ahead.
  chart: 115 * KB,
  // Fetched by those who read them, and kept by the service worker.
  texts: 120 * KB,
  css: 20 * KB,
  // It sends what waits on the device with the app closed, decrypts it for that, and names every chunk that it keeps.
  worker: 13.5 * KB,
  precacheRaw: 1200 * KB,
}
const ENTRY = 'index.html'
// The page loads the texts of its language, then this.
const START = 'src/start.tsx'
const SPANISH = 'src/locales/es.ts'
const CHART = 'src/features/dashboard/chart/trends-chart.tsx'
const SHELL = 'src/app/staff-routes.tsx'

const web = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(web, 'dist')
const chunks = JSON.parse(readFileSync(join(web, '.build', 'chunks.json'), 'utf8'))

const gzipped = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

/** The chunk and all it imports at once. */
function withImports(key, seen = new Set()) {
  if (seen.has(key)) return seen
  if (!chunks[key]) throw new Error(`The build has no chunk ${key}`)
  seen.add(key)
  for (const imported of chunks[key].imports ?? []) withImports(imported, seen)
  return seen
}

const weightOf = (keys) => sum([...new Set([...keys].map((key) => chunks[key].file))].map(gzipped))

/** What is loaded for certain before this chunk: the entry, and what every chunk that imports it brings. */
function alreadyThere(key, entry, above = new Set()) {
  // What is imported by all is asked for by none.
  if (entry.has(key)) return new Set(entry)
  // A chunk that several screens share is asked for by theirs.
  const asksFor = ({ imports, dynamicImports }) =>
    dynamicImports?.includes(key) || (imports?.includes(key) && !chunks[key].isDynamicEntry)
  const askers = Object.keys(chunks).filter((one) => !above.has(one) && asksFor(chunks[one]))
  const brought = askers.map(
    (one) => new Set([...withImports(one), ...alreadyThere(one, entry, new Set([...above, key]))]),
  )
  const [first = new Set(), ...others] = brought
  return new Set([...entry, ...[...first].filter((chunk) => others.every((other) => other.has(chunk)))])
}

function lazyScreens(entry) {
  return Object.keys(chunks)
    .filter((key) => chunks[key].isDynamicEntry && key !== START)
    .map((key) => {
      const known = alreadyThere(key, entry)
      return { key, weight: weightOf([...withImports(key)].filter((chunk) => !known.has(chunk))) }
    })
}

function precachedBytes() {
  const urls = [...readFileSync(join(dist, 'sw.js'), 'utf8').matchAll(/"?url"?:\s*"([^"]+)"/g)].map(([, url]) => url)
  if (urls.length === 0) throw new Error('The worker precaches nothing')
  return sum(urls.map((url) => statSync(join(dist, url)).size))
}

const isOnlineOnly = (key) => chunks[key].file.startsWith('assets/online/')

/** What starts without a network must not lean on what is fetched only with one. */
function checkOffline() {
  for (const key of Object.keys(chunks)) {
    if (isOnlineOnly(key)) continue
    const bad = chunks[key].imports?.find(isOnlineOnly)
    if (bad) throw new Error(`${key} is there without a network and imports ${bad}, which is not`)
  }
}

/** The chart's code comes by itself: no other chunk may bring it along, and no device fetches it ahead. */
function checkChart() {
  const eager = Object.keys(chunks).find((key) => chunks[key].imports?.includes(CHART))
  if (eager) throw new Error(`${eager} brings the chart along`)
  if (!isOnlineOnly(CHART)) throw new Error('The chart would be fetched ahead to every device')
}

/** Texts are fetched in the language that is read only. */
function checkTexts() {
  if (!chunks[SPANISH].file.startsWith('assets/locales/'))
    throw new Error('The texts would be fetched ahead to every device')
}

checkOffline()
checkChart()
checkTexts()
const entry = withImports(START, withImports(ENTRY))
const stylesheets = readdirSync(join(dist, 'assets')).filter((file) => file.endsWith('.css'))
const lazyLimits = { [CHART]: LIMITS.chart, [SPANISH]: LIMITS.texts }
const rows = [
  ['public entry, js gz', weightOf(entry), LIMITS.publicEntry],
  ['signed-in entry, js gz', weightOf(new Set([...entry, ...withImports(SHELL)])), LIMITS.signedInEntry],
  ...lazyScreens(entry).map(({ key, weight }) => [`${key}, js gz`, weight, lazyLimits[key] ?? LIMITS.lazyScreen]),
  ['css gz', sum(stylesheets.map((file) => gzipped(join('assets', file)))), LIMITS.css],
  ['service worker gz', gzipped('sw.js'), LIMITS.worker],
  ['precache raw', precachedBytes(), LIMITS.precacheRaw],
]

for (const [name, bytes, limit] of rows) {
  const mark = bytes > limit ? 'TOO HEAVY' : 'ok'
  console.log(
    `${(bytes / KB).toFixed(1).padStart(8)} of ${String(limit / KB).padStart(5)} kB  ${mark.padEnd(9)}  ${name}`,
  )
}
if (rows.some(([, bytes, limit]) => bytes > limit)) process.exit(1)
