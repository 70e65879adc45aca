// A step of the build: the code of the screen at an address is fetched beside the app's own, not after it.
import type { Plugin } from 'vite'

const ENTRY_PAGE = 'index.html'
/** The module that starts the app, once the page has its texts. */
export const START = '/src/start.tsx'
/** Stands for every address. */
const EVERYWHERE = '*'

export type Chunk = {
  type: 'chunk'
  fileName: string
  isEntry: boolean
  facadeModuleId: string | null
  imports: string[]
}

export type Chunks = ReadonlyMap<string, Chunk>

/** The chunk and all it imports at once. */
export function withImports(fileName: string, chunks: Chunks, seen = new Set<string>()): Set<string> {
  if (seen.has(fileName)) return seen
  seen.add(fileName)
  for (const imported of chunks.get(fileName)?.imports ?? []) withImports(imported, chunks, seen)
  return seen
}

/** The modules of each address's screen, the screen and what leads to it. */
type Screens = Readonly<Record<string, readonly string[]>>

const list = (files: ReadonlySet<string>, known: (file: string) => boolean) =>
  [...files].filter((file) => !known(file)).map((file) => `/${file}`)

/** The files that start the app, and for each address those of its screen that are not among what it has already. */
export function filesByAddress(chunks: readonly Chunk[], screens: Screens): Record<string, string[]> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const find = (what: string, matches: (chunk: Chunk) => boolean) => {
    const found = chunks.find(matches)
    if (!found) throw new Error(`The build has no chunk for ${what}`)
    return withImports(found.fileName, byName)
  }
  const isOf = (module: string) => (chunk: Chunk) => chunk.facadeModuleId?.endsWith(module) ?? false
  const inPage = find('the page', (chunk) => chunk.isEntry && !isOf(START)(chunk))
  const atStart = find('the start of the app', isOf(START))
  const filesOf = (module: string) => [...find(module, isOf(module))]
  const ofScreens = Object.entries(screens).map(([address, modules]) => {
    const files = new Set(modules.flatMap(filesOf))
    return [address, list(files, (file) => atStart.has(file) || inPage.has(file))] as const
  })
  return { [EVERYWHERE]: list(atStart, (file) => inPage.has(file)), ...Object.fromEntries(ofScreens) }
}

/**
 * A script file, because the content policy allows none in the page. Screens share most files: each is named once. What
 * starts the app is fetched at every address.
 */
export function preloadScript(filesAt: Readonly<Record<string, readonly string[]>>): string {
  const files = [...new Set(Object.values(filesAt).flat())]
  const places = Object.fromEntries(
    Object.entries(filesAt).map(([address, own]) => [address, own.map((file) => files.indexOf(file))]),
  )
  return `{
  const files = ${JSON.stringify(files)}
  const places = ${JSON.stringify(places)}
  for (const at of [...(places[${JSON.stringify(EVERYWHERE)}] ?? []), ...(places[location.pathname] ?? [])]) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: files[at] }))
  }
}
`
}

/** Makes the page fetch the screen of its address at once. */
export function preloadScreens(screens: Screens): Plugin {
  return {
    name: 'preload-screens',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle[ENTRY_PAGE]
      // The service worker is built on its own and has no page.
      if (page?.type !== 'asset') return
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const reference = this.emitFile({
        type: 'asset',
        name: 'screens.js',
        source: preloadScript(filesByAddress(chunks, screens)),
      })
      const tag = `<script async fetchpriority="high" src="/${this.getFileName(reference)}"></script>`
      page.source = String(page.source).replace('<title>', `${tag}\n    <title>`)
    },
  }
}
