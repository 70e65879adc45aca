// Imports point one way: app → features → shared folders. No two folders import each other.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

/** One import, both paths below src. */
type Import = { from: string; to: string }
/** Imported folders by importing folder, each with its imports. */
type FolderGraph = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

const src = import.meta.dirname
/** `from '…'`, `import '…'` and `import('…')`. */
const IMPORT = /\b(?:from|import|import\()\s*['"]([^'"]+)['"]/g

const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path.startsWith('testing/')

/** The top-level folder of a path, for features the feature's own folder; empty for files of src itself. */
function folderOf(path: string): string {
  const [top = '', second = '', ...below] = path.split('/')
  if (second === '') return ''
  return top === 'features' && below.length > 0 ? `features/${second}` : top
}

const isFeatureOrApp = (folder: string) => folder === 'app' || folder === 'features' || folder.startsWith('features/')

function readImports(path: string): Import[] {
  const text = readFileSync(join(src, path), 'utf8')
  return Array.from(text.matchAll(IMPORT), ([, specifier = '']) => specifier)
    .filter((specifier) => specifier.startsWith('@/') || specifier.startsWith('.'))
    .map((specifier) => ({
      from: path,
      to: specifier.startsWith('@/') ? specifier.slice(2) : posix.join(posix.dirname(path), specifier),
    }))
}

function buildGraph(imports: readonly Import[]): FolderGraph {
  const graph = new Map<string, Map<string, string[]>>()
  for (const { from, to } of imports) {
    const [importer, imported] = [folderOf(from), folderOf(to)]
    if (importer === imported) continue
    const edges = graph.get(importer) ?? new Map<string, string[]>()
    graph.set(importer, edges.set(imported, [...(edges.get(imported) ?? []), `${from} → ${to}`]))
  }
  return graph
}

/** One example import per step of a cycle through this folder; undefined where there is none. */
function findCycle(graph: FolderGraph, start: string): string[] | undefined {
  const visited = new Set<string>()
  const search = (folder: string, path: readonly string[]): string[] | undefined => {
    for (const [next, [example = '']] of graph.get(folder) ?? []) {
      const extended = [...path, example]
      if (next === start) return extended
      if (visited.has(next)) continue
      visited.add(next)
      const cycle = search(next, extended)
      if (cycle) return cycle
    }
    return undefined
  }
  return search(start, [])
}

const findCycles = (graph: FolderGraph) =>
  [...graph.keys()].map((folder) => findCycle(graph, folder)).filter((cycle) => cycle !== undefined)

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
const imports = files.flatMap((path) => readImports(path))
const productionImports = imports.filter(({ from }) => !isTest(from))

describe('imports between folders', () => {
  it('are all read', () => {
    expect(buildGraph(productionImports).size).toBeGreaterThan(30)
    expect(productionImports.length).toBeGreaterThan(2000)
    // One of each kind: from another folder, from the same folder, dynamic.
    expect(productionImports).toContainEqual({ from: 'ui/error-boundary.tsx', to: 'lib/stale-chunk' })
    expect(productionImports).toContainEqual({ from: 'ui/error-boundary.tsx', to: 'ui/button' })
    expect(productionImports).toContainEqual({
      from: 'features/settings/pages/topic-panels.tsx',
      to: 'features/people/people-card',
    })
  })

  it('contain no cycle', () => expect(findCycles(buildGraph(productionImports))).toEqual([]))

  it('never lead from a shared folder to a feature or to the app', () => {
    expect(
      imports.filter(
        ({ from, to }) =>
          !isFeatureOrApp(folderOf(from)) && !['', 'testing'].includes(folderOf(from)) && isFeatureOrApp(folderOf(to)),
      ),
    ).toEqual([])
  })

  it('never lead from a feature to the app', () => {
    expect(imports.filter(({ from, to }) => folderOf(from).startsWith('features/') && folderOf(to) === 'app')).toEqual(
      [],
    )
  })

  it('never lead from production code to a test', () =>
    expect(productionImports.filter(({ to }) => isTest(`${to}.ts`))).toEqual([]))
})

describe('cycle search', () => {
  const cyclesOf = (...steps: [from: string, to: string][]) =>
    findCycles(buildGraph(steps.map(([from, to]) => ({ from, to }))))

  it('finds a cycle of two folders and of three', () => {
    expect(
      cyclesOf(['features/jobs/a.ts', 'features/people/b'], ['features/people/c.ts', 'features/jobs/d']),
    ).toHaveLength(2)
    expect(cyclesOf(['lib/a.ts', 'api/b'], ['api/b.ts', 'ui/c'], ['ui/c.tsx', 'lib/d'])[0]).toEqual([
      'lib/a.ts → api/b',
      'api/b.ts → ui/c',
      'ui/c.tsx → lib/d',
    ])
  })

  it('finds none inside one folder, nor where two paths meet', () => {
    expect(cyclesOf(['ui/a.ts', 'ui/b'], ['ui/b.ts', 'ui/a'])).toEqual([])
    expect(cyclesOf(['app/a.ts', 'ui/b'], ['app/a.ts', 'lib/c'], ['ui/b.ts', 'lib/c'])).toEqual([])
  })
})
