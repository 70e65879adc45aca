// Actions of the command palette: what can be added, pages, and topics of the settings.
import type { Role } from '@/domain/org'
import { paths } from '@/lib/paths'
import { listSettingsTopics } from '@/lib/settings-topics'
import type { PaletteAction } from '@/features/command-palette/palette-items'
import type { IconName } from '@/ui/icon'
import { navItems } from '../nav-items'
import { NEW_RECORDS, type NewRecord, quickAccess } from './quick-access-store'

export const RECORD_LABELS = {
  lead: 'Lead',
  customer: 'Customer',
  estimate: 'Estimate',
  job: 'Job',
  invoice: 'Invoice',
} as const satisfies Record<NewRecord, string>

export const RECORD_ICONS = {
  lead: 'phone',
  customer: 'user',
  estimate: 'document',
  job: 'briefcase',
  invoice: 'dollar',
} as const satisfies Record<NewRecord, IconName>

/** `go` opens a page. */
export function buildPaletteActions(role: Role, isDemo: boolean, go: (path: string) => void): PaletteAction[] {
  const pages = navItems(role).map(({ href, label, icon }): PaletteAction => ({
    label,
    icon,
    words: 'go open page',
    run: () => go(href),
  }))
  const shortcuts: PaletteAction = {
    label: 'Keyboard shortcuts',
    icon: 'info',
    words: 'keys help',
    run: () => quickAccess.open({ part: 'shortcuts' }),
  }
  const account: PaletteAction[] = isDemo
    ? []
    : [{ label: 'Your account', icon: 'shield', words: 'password passkeys', run: () => go(paths.account) }]
  if (role === 'crew') return [...pages, ...account, shortcuts]
  const records = NEW_RECORDS.map((record): PaletteAction => ({
    label: `New ${RECORD_LABELS[record].toLowerCase()}`,
    icon: 'plus',
    words: record === 'lead' ? 'add call quick' : 'add create',
    run: () => quickAccess.open({ part: 'record', record }),
  }))
  const topics = listSettingsTopics(role === 'owner' && !isDemo).map(
    ({ label, slug, about, keywords }): PaletteAction => ({
      label: `Settings: ${label}`,
      icon: 'gear',
      words: [about, ...keywords].join(' '),
      run: () => go(paths.settings(slug)),
    }),
  )
  const start: PaletteAction[] = isDemo
    ? []
    : [
        {
          label: 'Guided start',
          icon: 'sparkle',
          words: 'set up setup begin first steps',
          run: () => go(paths.start()),
        },
      ]
  return [...records, ...pages, ...start, ...topics, ...account, shortcuts]
}
