// A step of the build: the list of what an import fetches along names no file that has been fetched by then.
import type { ModulePreloadOptions, Plugin } from 'vite'
import { type Chunk, withImports } from './preload-screens.ts'

type ImportingChunk = Chunk & { dynamicImports: string[] }
type ResolveDependencies = NonNullable<Exclude<ModulePreloadOptions, boolean>['resolveDependencies']>

/** What can be open without the shell of the signed-in app. */
function listPublicFiles(chunks: readonly ImportingChunk[], shell: string): Set<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set([shell])
  const rest = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName)
  for (let fileName = rest.pop(); fileName !== undefined; fileName = rest.pop()) {
    const chunk = byName.get(fileName)
    if (!chunk || found.has(fileName)) continue
    found.add(fileName)
    rest.push(...chunk.imports, ...chunk.dynamicImports)
  }
  return found
}

/** The files that are there when this one asks for others: its own, and the shell's where it is open only in it. */
export function filesBefore(chunks: readonly ImportingChunk[], shellModule: string): (host: string) => Set<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const shell = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(shellModule))?.fileName
  if (shell === undefined) throw new Error(`The build has no chunk for ${shellModule}`)
  const publicFiles = listPublicFiles(chunks, shell)
  return (host) => {
    const own = withImports(host, byName)
    return publicFiles.has(host) ? own : withImports(shell, byName, own)
  }
}

/** @param shellModule what the signed-in app begins with. */
export function leanImportLists(shellModule: string): { plugin: Plugin; resolveDependencies: ResolveDependencies } {
  let findFiles: ReturnType<typeof filesBefore> | undefined
  return {
    plugin: {
      name: 'lean-import-lists',
      apply: 'build',
      // Before the lists are written.
      enforce: 'pre',
      generateBundle(_options, bundle) {
        // The service worker is built on its own and imports nothing.
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        if (chunks.length > 1) findFiles = filesBefore(chunks, shellModule)
      },
    },
    // The page itself names all. What is imported is asked for at the same moment.
    resolveDependencies: (file, needed, { hostId, hostType }) => {
      if (hostType === 'html') return needed
      const known = findFiles?.(hostId)
      return needed.filter((one) => one !== file && !known?.has(one))
    },
  }
}
