// Which files of a screen are fetched early: its own and what it shares, without what the page names anyway.
import { expect, it } from 'vitest'
import { filesByAddress, preloadScript } from './preload-screens'

const chunk = (
  fileName: string,
  imports: string[] = [],
  more: { isEntry?: boolean; facadeModuleId?: string } = {},
) => ({ type: 'chunk' as const, fileName, imports, isEntry: false, facadeModuleId: null, ...more })

const CHUNKS = [
  chunk('start.js', ['react.js', 'index.js'], { isEntry: true, facadeModuleId: '/home/web/src/start.tsx' }),
  chunk('index.js', ['texts.js'], { isEntry: true, facadeModuleId: '/home/web/index.html' }),
  chunk('texts.js'),
  chunk('react.js'),
  chunk('forms.js', ['react.js', 'field.js']),
  chunk('field.js', ['forms.js']),
  chunk('lead.js', ['start.js', 'forms.js'], { facadeModuleId: '/home/web/src/lead.route.tsx' }),
]

it('lists each file once, without the page’s own and those of the start', () => {
  expect(filesByAddress(CHUNKS, { '/lead': ['src/lead.route.tsx'] })).toEqual({
    '*': ['/start.js', '/react.js'],
    '/lead': ['/lead.js', '/forms.js', '/field.js'],
  })
})

it('lists parent modules too, shared ones once', () => {
  const shell = chunk('shell.js', ['react.js', 'field.js'], { facadeModuleId: '/home/web/src/shell.tsx' })
  expect(filesByAddress([...CHUNKS, shell], { '/lead': ['src/shell.tsx', 'src/lead.route.tsx'] })).toEqual({
    '*': ['/start.js', '/react.js'],
    '/lead': ['/shell.js', '/field.js', '/forms.js', '/lead.js'],
  })
})

it('fails the build for a moved screen', () => {
  expect(() => filesByAddress(CHUNKS, { '/quote': ['src/quote.route.tsx'] })).toThrow(
    'The build has no chunk for src/quote.route.tsx',
  )
})

it.each([
  ['/lead', ['/start.js', '/lead.js', '/forms.js']],
  ['/quote', ['/start.js', '/quote.js', '/forms.js']],
  ['/elsewhere', ['/start.js']],
])('at %s: requests %s', (pathname, expected) => {
  const script = preloadScript({
    '*': ['/start.js'],
    '/lead': ['/lead.js', '/forms.js'],
    '/quote': ['/quote.js', '/forms.js'],
  })
  expect(script.match(/forms\.js/g)).toHaveLength(1)
  history.replaceState(null, '', pathname)
  // What a script element does with it.
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the build's own output
  new Function(script)()
  const links = [...document.head.querySelectorAll('link[rel="modulepreload"]')]
  expect(links.map((link) => link.getAttribute('href'))).toEqual(expected)
  for (const link of links) link.remove()
})
