// Every page that only signed-in people have lies behind the door: else a stranger who asks for it is told that there is none.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isBehindTheDoor } from '@/lib/paths'

const text = readFileSync(join(import.meta.dirname, 'staff-routes.tsx'), 'utf8')
const routed = Array.from(text.matchAll(/ path="(\/[^"]+)"/g), ([, path = '']) => path)

it('all of them do', () => {
  expect(routed.length).toBeGreaterThan(20)
  expect(routed.filter((path) => !isBehindTheDoor(path))).toEqual([])
})

it.each(['/', '/nowhere', '/apps', '/leads'])('%s does not', (path) => expect(isBehindTheDoor(path)).toBe(false))
