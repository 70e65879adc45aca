// What is there when a file asks for others: what it imports, and the shell's files behind the sign-in.
import { expect, it } from 'vitest'
import { filesBefore } from './import-lists'

type Imports = { imports?: string[]; dynamicImports?: string[]; isEntry?: boolean; facadeModuleId?: string }

const chunk = (fileName: string, { imports = [], dynamicImports = [], ...more }: Imports) => ({
  type: 'chunk' as const,
  fileName,
  imports,
  dynamicImports,
  isEntry: false,
  facadeModuleId: null,
  ...more,
})

const CHUNKS = [
  chunk('index.js', { dynamicImports: ['start.js'], isEntry: true }),
  chunk('start.js', { imports: ['react.js'], dynamicImports: ['login.js', 'shell.js'], isEntry: true }),
  chunk('react.js', {}),
  chunk('login.js', { imports: ['forms.js', 'start.js'], dynamicImports: ['next-step.js'] }),
  chunk('forms.js', { imports: ['react.js'] }),
  chunk('next-step.js', { imports: ['forms.js'] }),
  chunk('shell.js', { imports: ['desk.js'], dynamicImports: ['leads.js'], facadeModuleId: '/home/web/src/shell.tsx' }),
  chunk('desk.js', { imports: ['start.js'] }),
  chunk('leads.js', { imports: ['parts.js'], dynamicImports: ['dialog.js', 'login.js'] }),
  chunk('parts.js', {}),
  chunk('dialog.js', { imports: ['forms.js', 'parts.js'] }),
]

it.each([
  ['the page', 'index.js', ['index.js']],
  ['the start', 'start.js', ['start.js', 'react.js']],
  ['a public screen, also where the shell asks for it', 'login.js', ['login.js', 'forms.js', 'react.js', 'start.js']],
  ['the shell', 'shell.js', ['shell.js', 'desk.js', 'start.js', 'react.js']],
  ['a screen behind the sign-in', 'leads.js', ['leads.js', 'parts.js', 'shell.js', 'desk.js', 'start.js', 'react.js']],
])('%s has its own files', (_what, host, expected) => {
  expect([...filesBefore(CHUNKS, 'src/shell.tsx')(host)].toSorted()).toEqual(expected.toSorted())
})

it('fails the build for a moved shell', () => {
  expect(() => filesBefore(CHUNKS, 'src/other.tsx')).toThrow('The build has no chunk for src/other.tsx')
})
