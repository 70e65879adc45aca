// Texts of the app against their Spanish ones: each has one, with the same placeholders, and none is left over.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '..')
const SPANISH = join(import.meta.dirname, 'es')

type AstNode = { type: string; start: number; [key: string]: unknown }
type Found = {
  /** English texts with the first file that has each. */
  texts: Map<string, string>
  /** Texts that are not literals. */
  composed: string[]
  /** Text between tags. */
  bare: string[]
}

/** Pages for customers, and the demonstration: in English. */
const ENGLISH_ONLY = /^(?:features\/(?:lead-intake|quote-request|public-form|checkout|customer-page)|app\/demo)\//
/** Defines `t`. */
const ITSELF = 'lib/i18n/index.ts'
/** The same in both languages. */
const NAMES =
  /\b(?:Toolbox|Stripe|Twilio|Google|STOP|START|HELP|CSV|PDF|Ctrl|Esc|Enter|2FA|Messaging Service|TWILIO_FROM|Rating)\b/g
/** Places of the texts among the arguments. */
const TEXT_ARGUMENTS: Readonly<Record<string, readonly number[]>> = { t: [0], plural: [1, 2] }

const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const childrenOf = (node: AstNode): AstNode[] => Object.values(node).flat().filter(isNode)

function allNodes(node: AstNode): AstNode[] {
  const found: AstNode[] = []
  const waiting = [node]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    found.push(next)
    waiting.push(...childrenOf(next))
  }
  return found
}

function literal(node: AstNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  const { quasis, expressions } = (node?.type === 'TemplateLiteral' ? node : {}) as {
    quasis?: { value: { cooked: string } }[]
    expressions?: unknown[]
  }
  return expressions?.length === 0 ? quasis?.[0]?.value.cooked : undefined
}

/** `t`, `plural` and `pgettext` as this file imports them. */
function importedNames(nodes: readonly AstNode[]): Set<string> {
  const names = nodes
    .filter((node) => node.type === 'ImportDeclaration')
    .filter((node) => literal(node['source'] as AstNode) === '@/lib/i18n')
    .flatMap((node) => node['specifiers'] as { local: { name: string } }[])
  return new Set(names.map(({ local }) => local.name))
}

function readCall(path: string, node: AstNode, known: ReadonlySet<string>, found: Found): void {
  const callee = node['callee'] as AstNode
  const name = callee.type === 'Identifier' ? String(callee['name']) : ''
  if (!known.has(name)) return
  const given = (node['arguments'] as AstNode[]).map(literal)
  const keys = name === 'pgettext' ? [given[0] && given[1] && `${given[0]}|${given[1]}`] : []
  for (const text of [...keys, ...(TEXT_ARGUMENTS[name] ?? []).map((at) => given[at])]) {
    if (text === undefined) found.composed.push(`${path}: ${name} at ${node.start}`)
    else if (!found.texts.has(text)) found.texts.set(text, path)
  }
}

function readFile(path: string, text: string, found: Found): void {
  const program: unknown = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' }, path)
  if (!isNode(program)) throw new Error(`${path} cannot be read`)
  const nodes = allNodes(program)
  const known = importedNames(nodes)
  for (const node of nodes) {
    if (node.type === 'CallExpression') readCall(path, node, known, found)
    if (node.type !== 'JSXText' || ENGLISH_ONLY.test(path)) continue
    const shown = String(node['value']).trim()
    if (/\p{L}{2}/u.test(shown.replaceAll(NAMES, ''))) found.bare.push(`${path}: ${shown}`)
  }
}

const isShipped = (path: string) =>
  /\.tsx?$/.test(path) && !/(?:\.test\.tsx?|\.d\.ts|\.node\.ts)$/.test(path) && !/^(?:testing|locales)\//.test(path)

function readSources(): Found {
  const found: Found = { texts: new Map(), composed: [], bare: [] }
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
  for (const path of paths.filter((one) => isShipped(one) && one !== ITSELF))
    readFile(path, readFileSync(join(src, path), 'utf8'), found)
  return found
}

/** English, Spanish, file. */
const spanish = readdirSync(SPANISH).flatMap((file) => {
  const texts = JSON.parse(readFileSync(join(SPANISH, file), 'utf8')) as Record<string, string>
  return Object.entries(texts).map(([english, translated]) => ({ english, translated, file }))
})

const placeholders = (text: string) => Array.from(new Set(text.match(/\{\w+\}/g))).toSorted()

const sources = readSources()

describe('texts of the app', () => {
  it('are read', () => expect(sources.texts.size).toBeGreaterThan(1000))

  it('are literals', () => expect(sources.composed).toEqual([]))

  it('do not stand between tags by themselves', () => expect(sources.bare).toEqual([]))

  it('have a Spanish one each', () => {
    const known = new Set(spanish.map(({ english }) => english))
    const missing = [...sources.texts].filter(([text]) => !known.has(text))
    expect(missing.map(([text, path]) => `${path}: ${text}`)).toEqual([])
  })
})

describe('Spanish texts', () => {
  it('have the placeholders of the English ones', () => {
    const isOther = ({ english, translated }: { english: string; translated: string }) =>
      placeholders(english).join(' ') !== placeholders(translated).join(' ')
    expect(spanish.filter(isOther)).toEqual([])
  })

  it('are all used', () => {
    expect(spanish.filter(({ english }) => !sources.texts.has(english))).toEqual([])
  })

  it('are the same for the same English one', () => {
    const first = new Map<string, string>()
    for (const { english, translated } of spanish) if (!first.has(english)) first.set(english, translated)
    expect(spanish.filter(({ english, translated }) => first.get(english) !== translated)).toEqual([])
  })
})
