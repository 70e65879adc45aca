// What a release is built from: the exceptions of deny.toml are those of docs/releasing.md, none has ended, and no
// package runs anything when it is installed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const deny = read('deny.toml')
const releasing = read('docs/releasing.md')

/** The advisories that deny.toml lets through, each with the day on which that ends. */
const exceptions = deny
  .split('\n')
  .filter((line) => line.includes('id = "RUSTSEC-'))
  .map((line) => ({
    id: /RUSTSEC-\d{4}-\d{4}/.exec(line)?.[0] ?? line,
    until: /reason = "until (\d{4}-\d{2}-\d{2}): \S/.exec(line)?.[1] ?? '',
  }))

describe('open advisory', () => {
  it('is in both lists and in no third', () => {
    const rows = releasing.split('\n').filter((line) => line.trim().startsWith('| RUSTSEC-'))
    const told = rows.map((row) => row.split('|').map((cell) => cell.trim()))
    expect(told.map(([, id, , until]) => ({ id, until }))).toEqual(exceptions)
    expect(told.every(([, , why]) => (why?.length ?? 0) > 40)).toBe(true)
    expect(deny.match(/RUSTSEC-/g)?.length).toBe(exceptions.length)
  })

  it.each(exceptions)('$id has a future end within a year', ({ until }) => {
    const days = (Date.parse(until) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(0)
    expect(days).toBeLessThan(366)
  })

  it.each(exceptions)('$id concerns an installed package', ({ id }) => {
    const name = { 'RUSTSEC-2023-0071': 'rsa', 'RUSTSEC-2023-0089': 'atomic-polyfill' }[id]
    expect(read('Cargo.lock')).toContain(`name = "${name}"`)
  })
})

/** SPDX, with the old slash for "or": all parts of AND, one of OR. */
const isAllowed = (licence: string, allowed: readonly string[]): boolean => {
  const parts = licence.replaceAll(/\s*\/\s*/g, ' OR ').split(' AND ')
  return parts.every((part) =>
    part
      .replaceAll(/[()]/g, '')
      .split(' OR ')
      .some((one) => allowed.includes(one.trim())),
  )
}

describe('shipped packages', () => {
  const listed = (name: string) =>
    [...(new RegExp(`^${name} = \\[(.*)\\]$`, 'm').exec(deny)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
      ([, one]) => one ?? '',
    )
  const excepted = new Set(
    [...deny.matchAll(/crate = "([^"]+)", allow = \["([^"]+)"\]/g)].map(([, crate, licence]) => `${crate} ${licence}`),
  )
  const rows = [...read('docs/licences.md').matchAll(/^\| (\S+) \S+ \| (.+) \|$/gm)].map(
    ([, name = '', licence = '']) => ({ name, licence }),
  )

  it('have allowed licenses only', () => {
    const allowed = listed('allow')
    expect(allowed).toContain('MIT')
    const shipped = rows.filter(({ name }) => !['package', 'typeface', 'Toolbox'].includes(name))
    expect(shipped.length).toBeGreaterThan(350)
    const refused = shipped.filter(
      ({ name, licence }) => !isAllowed(licence, allowed) && !excepted.has(`${name} ${licence}`),
    )
    expect(refused).toEqual([])
  })
})

describe('installed packages', () => {
  it('run no scripts, except the named one', () => {
    const { packages } = JSON.parse(read('web/package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>
    }
    const run = Object.entries(packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path)
    expect(run).toEqual(['node_modules/node'])
    expect(read('web/.npmrc')).toMatch(/^ignore-scripts=true$/m)
    expect(read('Makefile').match(/npm rebuild .*/g)).toEqual([
      'npm rebuild node --ignore-scripts=false --loglevel=error',
    ])
  })
})
