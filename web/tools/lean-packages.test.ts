// What is taken out of a package has to be in it: after an update the build would be heavier without a word.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { dropUnusedComponents } from './lean-packages'

const require = createRequire(import.meta.url)

/** The file of the router's production build that its entry takes links from. */
function readRouter(): string {
  const folder = join(dirname(require.resolve('react-router/package.json')), 'dist/production')
  const entry = readFileSync(join(folder, 'index.mjs'), 'utf8')
  const [, file = ''] = /\bLink,[^}]*\} from "\.\/(chunk-[\w-]+\.mjs)"/.exec(entry) ?? []
  return readFileSync(join(folder, file), 'utf8')
}

it('takes names for developers and what a link fetches ahead out of the router', () => {
  const router = readRouter()
  const lean = dropUnusedComponents(router)
  expect(router).toMatch(/^Form\.displayName = /m)
  expect(router).toMatch(/createElement\(PrefetchPageLinks, /)
  expect(lean).not.toMatch(/^\w+\.displayName = /m)
  expect(lean).not.toMatch(/createElement\(PrefetchPageLinks, /)
})

it('marks components and contexts as free of effects', () => {
  const lean = dropUnusedComponents('var Form = React10.forwardRef(\n  a\n);\nForm.displayName = "Form";\nrun();')
  expect(lean).toBe('var Form = /* @__PURE__ */ React10.forwardRef(\n  a\n);\n\nrun();')
})
