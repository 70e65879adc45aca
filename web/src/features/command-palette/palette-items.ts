// Entries of the command palette: hits of the server, actions, and what was opened last.
import type { Schema } from '@/api/client'
import type { Role } from '@/domain/org'
import { paths } from '@/lib/paths'
import type { IconName } from '@/ui/icon'
import { paletteMessages as texts } from './messages'

type SearchHit = Schema['SearchHit']

export type PaletteAction = {
  label: string
  icon: IconName
  /** Other words that find it. */ words?: string
  run: () => void
}

export type PaletteItem = { id: string; icon: IconName; title: string; subtitle: string } & (
  | { path: string }
  | { run: () => void }
)

export type PaletteGroup = { title: string; items: readonly PaletteItem[] }

const MAX_ACTIONS = 8
const MAX_RECENT = 5

const ICONS = {
  customer: 'user',
  lead: 'leads',
  estimate: 'document',
  change_order: 'document',
  invoice: 'dollar',
  job: 'briefcase',
} as const satisfies Record<SearchHit['kind'], IconName>

function toPath({ pathKind, id }: SearchHit, role: Role): string {
  switch (pathKind) {
    case 'customer':
      return paths.customer(id)
    case 'lead':
      return paths.lead(id)
    case 'invoice':
      return paths.invoice(id)
    case 'job':
      return role === 'crew' ? paths.fieldJob(id) : paths.job(id)
  }
}

const toItem = (hit: SearchHit, role: Role): PaletteItem => ({
  id: `${hit.kind}-${hit.id}-${hit.title}`.replaceAll(/[^\w-]+/g, '-'),
  icon: ICONS[hit.kind],
  title: hit.title,
  subtitle: hit.subtitle === '' ? texts.kinds[hit.kind] : `${texts.kinds[hit.kind]} · ${hit.subtitle}`,
  path: toPath(hit, role),
})

/** Without empty groups. */
export function toResultGroups(results: Schema['SearchResults'], role: Role): PaletteGroup[] {
  const names = ['customers', 'leads', 'papers', 'jobs'] as const
  const groups = names.map((name) => ({
    title: texts.groups[name],
    items: results[name].map((hit) => toItem(hit, role)),
  }))
  return groups.filter(({ items }) => items.length > 0)
}

/** Actions of which every word begins a word that was typed for; all of them for no text. */
export function toActionGroup(actions: readonly PaletteAction[], text: string): PaletteGroup[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = ({ label, words = '' }: PaletteAction) => {
    const known = `${label} ${words}`.toLowerCase().split(/[^\p{L}\p{N}]+/u)
    return typed.every((word) => known.some((one) => one.startsWith(word)))
  }
  const items = actions.filter(matches).slice(0, MAX_ACTIONS)
  if (items.length === 0) return []
  const toActionItem = ({ label, icon, run }: PaletteAction): PaletteItem => ({
    id: `action-${label.replaceAll(/\W+/g, '-')}`,
    icon,
    title: label,
    subtitle: '',
    run,
  })
  return [{ title: texts.groups.actions, items: items.map(toActionItem) }]
}

/** In memory only: nothing of a customer stays on the device after the page is closed. */
let recent: { owner: string; items: readonly PaletteItem[] } = { owner: '', items: [] }

export function readRecent(owner: string): readonly PaletteItem[] {
  return recent.owner === owner ? recent.items : []
}

export function addRecent(owner: string, item: PaletteItem): void {
  const others = readRecent(owner).filter(({ id }) => id !== item.id)
  recent = { owner, items: [item, ...others].slice(0, MAX_RECENT) }
}
