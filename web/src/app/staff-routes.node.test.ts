import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { requiresSignIn } from '@/lib/paths'

const text = readFileSync(join(import.meta.dirname, 'staff-routes.tsx'), 'utf8')
const routed = Array.from(text.matchAll(/ path="(\/[^"]+)"/g), ([, path = '']) => path)

it('routes of signed-in users: all require sign-in', () => {
  expect(routed.length).toBeGreaterThan(20)
  expect(routed.filter((path) => !requiresSignIn(path))).toEqual([])
})

it.each(['/', '/nowhere', '/apps', '/leads'])('%s: does not require sign-in', (path) =>
  expect(requiresSignIn(path)).toBe(false),
)
