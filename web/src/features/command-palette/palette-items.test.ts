import { expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import {
  addRecent,
  type PaletteAction,
  type PaletteItem,
  readRecent,
  toActionGroup,
  toResultGroups,
} from './palette-items'

const run = vi.fn<() => void>()
const actions: PaletteAction[] = [
  { label: 'New lead', icon: 'plus', words: 'add call', run },
  { label: 'Leads', icon: 'leads', run },
  { label: 'Settings: Hours', icon: 'gear', words: 'open closed', run },
]
const labels = (text: string) => toActionGroup(actions, text).flatMap(({ items }) => items.map(({ title }) => title))

it.each([
  ['', ['New lead', 'Leads', 'Settings: Hours']],
  ['lea', ['New lead', 'Leads']],
  ['add c', ['New lead']],
  ['hours', ['Settings: Hours']],
  ['ours', []],
])('the words %j find actions by the beginning of each word', (text, wanted) => {
  expect(labels(text)).toEqual(wanted)
})

it('a job opens on the crew page for a crew, and each paper where it is shown', () => {
  const id = '0190a0a0-0000-7000-8000-0000000000a1'
  const results: Schema['SearchResults'] = {
    customers: [],
    leads: [],
    papers: [
      { kind: 'estimate', pathKind: 'lead', id, title: 'EST-1001', subtitle: 'Ann Lee' },
      { kind: 'invoice', pathKind: 'invoice', id, title: 'INV-1001', subtitle: '' },
    ],
    jobs: [{ kind: 'job', pathKind: 'job', id, title: 'Job 1001: Ann Lee', subtitle: 'Plumbing' }],
  }
  const pathsOf = (role: 'office' | 'crew') =>
    toResultGroups(results, role).flatMap(({ items }) => items.map((item) => ('path' in item ? item.path : '')))
  expect(pathsOf('office')).toEqual([`/app/leads/${id}`, `/app/invoices/${id}`, `/app/jobs/${id}`])
  expect(pathsOf('crew').at(-1)).toBe(`/app/today/${id}`)
  expect(toResultGroups(results, 'office').map(({ title }) => title)).toEqual(['Estimates and invoices', 'Jobs'])
  const ids = toResultGroups(results, 'office').flatMap(({ items }) => items.map((item) => item.id))
  expect(new Set(ids).size).toBe(3)
})

it('what was opened last comes first, five at most, and only to the person who opened it', () => {
  const item = (title: string): PaletteItem => ({ id: title, icon: 'user', title, subtitle: '', path: `/${title}` })
  for (const title of ['a', 'b', 'c', 'd', 'e', 'f', 'b']) addRecent('ann', item(title))
  expect(readRecent('ann').map(({ title }) => title)).toEqual(['b', 'f', 'e', 'd', 'c'])
  expect(readRecent('bob')).toEqual([])
})
