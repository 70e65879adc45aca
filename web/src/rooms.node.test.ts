// Imports point one way: the app knows the features, they know the rooms below them, and no two rooms know each other.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

/** What one module asks of another, by their paths below src. */
type Import = { from: string; to: string }
/** The rooms that each room knows, and by which imports. */
type Rooms = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

const src = import.meta.dirname
/** `from '…'`, `import '…'` and `import('…')`. */
const IMPORT = /\b(?:from|import|import\()\s*['"]([^'"]+)['"]/g

const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path.startsWith('testing/')

/** A folder below src or, of the features, one of theirs; what stands in src itself is above all of them. */
function roomOf(path: string): string {
  const [top = '', second = '', ...below] = path.split('/')
  if (second === '') return ''
  return top === 'features' && below.length > 0 ? `features/${second}` : top
}

const isAbove = (room: string) => room === 'app' || room === 'features' || room.startsWith('features/')

function importsOf(path: string): Import[] {
  const text = readFileSync(join(src, path), 'utf8')
  return Array.from(text.matchAll(IMPORT), ([, asked = '']) => asked)
    .filter((asked) => asked.startsWith('@/') || asked.startsWith('.'))
    .map((asked) => ({
      from: path,
      to: asked.startsWith('@/') ? asked.slice(2) : posix.join(posix.dirname(path), asked),
    }))
}

function roomsOf(imports: readonly Import[]): Rooms {
  const rooms = new Map<string, Map<string, string[]>>()
  for (const { from, to } of imports) {
    const [room, known] = [roomOf(from), roomOf(to)]
    if (room === known) continue
    const all = rooms.get(room) ?? new Map<string, string[]>()
    rooms.set(room, all.set(known, [...(all.get(known) ?? []), `${from} → ${to}`]))
  }
  return rooms
}

/** The rooms on a way from this one back to itself, each with an import that leads on; nothing where there is none. */
function wayBack(rooms: Rooms, start: string): string[] | undefined {
  const seen = new Set<string>()
  const search = (room: string, way: readonly string[]): string[] | undefined => {
    for (const [next, [example = '']] of rooms.get(room) ?? []) {
      const on = [...way, example]
      if (next === start) return on
      if (seen.has(next)) continue
      seen.add(next)
      const found = search(next, on)
      if (found) return found
    }
    return undefined
  }
  return search(start, [])
}

const cyclesIn = (rooms: Rooms) =>
  [...rooms.keys()].map((room) => wayBack(rooms, room)).filter((way) => way !== undefined)

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
const imports = files.flatMap((path) => importsOf(path))
const own = imports.filter(({ from }) => !isTest(from))

describe('the rooms', () => {
  it('are all read', () => {
    expect(roomsOf(own).size).toBeGreaterThan(30)
    expect(own.length).toBeGreaterThan(2000)
    // One of each kind: from another room, from beside, fetched when it is needed.
    expect(own).toContainEqual({ from: 'ui/crash-boundary.tsx', to: 'lib/stale-chunk' })
    expect(own).toContainEqual({ from: 'ui/crash-boundary.tsx', to: 'ui/button' })
    expect(own).toContainEqual({
      from: 'features/settings/organization/organization-tab.tsx',
      to: 'features/people/people-card',
    })
  })

  it('know each other one way only', () => expect(cyclesIn(roomsOf(own))).toEqual([]))

  it('below the features know neither them nor the app', () => {
    expect(
      imports.filter(
        ({ from, to }) => !isAbove(roomOf(from)) && !['', 'testing'].includes(roomOf(from)) && isAbove(roomOf(to)),
      ),
    ).toEqual([])
  })

  it('of the features do not know the app', () => {
    expect(imports.filter(({ from, to }) => roomOf(from).startsWith('features/') && roomOf(to) === 'app')).toEqual([])
  })

  it('lean on no test', () => expect(own.filter(({ to }) => isTest(`${to}.ts`))).toEqual([]))
})

describe('a way back', () => {
  const way = (...steps: [from: string, to: string][]) => cyclesIn(roomsOf(steps.map(([from, to]) => ({ from, to }))))

  it('is found between two rooms and over a third', () => {
    expect(way(['features/jobs/a.ts', 'features/people/b'], ['features/people/c.ts', 'features/jobs/d'])).toHaveLength(
      2,
    )
    expect(way(['lib/a.ts', 'api/b'], ['api/b.ts', 'ui/c'], ['ui/c.tsx', 'lib/d'])[0]).toEqual([
      'lib/a.ts → api/b',
      'api/b.ts → ui/c',
      'ui/c.tsx → lib/d',
    ])
  })

  it('is none within one room, nor where two ways meet', () => {
    expect(way(['ui/a.ts', 'ui/b'], ['ui/b.ts', 'ui/a'])).toEqual([])
    expect(way(['app/a.ts', 'ui/b'], ['app/a.ts', 'lib/c'], ['ui/b.ts', 'lib/c'])).toEqual([])
  })
})
