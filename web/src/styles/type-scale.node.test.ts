// Class names use the sizes of the theme alone.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const src = join(import.meta.dirname, '..')
/** Sizes in brackets, and Tailwind's own except the body size. */
const OFF_SCALE = /(?<![\w-])text-(?:\[[\d.]+(?:px|rem|em)\]|\[clamp|(?:xs|sm|lg|xl|[2-9]xl)(?![\w-]))/g

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.tsx') && !path.endsWith('.test.tsx'),
)

it('text sizes: only those of the scale', () => {
  const found = files.flatMap((path) =>
    (readFileSync(join(src, path), 'utf8').match(OFF_SCALE) ?? []).map((size) => `${path}: ${size}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
