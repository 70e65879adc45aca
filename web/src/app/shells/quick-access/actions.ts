// Actions of the command palette: what can be added, pages, and topics of the settings.
import type { Role } from '@/domain/org'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { listSettingsTopics } from '@/lib/settings-topics'
import type { PaletteAction } from '@/features/command-palette/palette-items'
import type { IconName } from '@/ui/icon'
import { navItems } from '../nav-items'
import { NEW_RECORDS, type NewRecord, quickAccess } from './quick-access-store'

export const RECORD_LABELS = {
  lead: t('Lead'),
  customer: t('Customer'),
  estimate: t('Estimate'),
  job: t('Job'),
  invoice: t('Invoice'),
} as const satisfies Record<NewRecord, string>

const NEW_LABELS = {
  lead: t('New lead'),
  customer: t('New customer'),
  estimate: t('New estimate'),
  job: t('New job'),
  invoice: t('New invoice'),
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
    words: t('go open page'),
    run: () => go(href),
  }))
  const shortcuts: PaletteAction = {
    label: t('Keyboard shortcuts'),
    icon: 'info',
    words: t('keys help'),
    run: () => quickAccess.open({ part: 'shortcuts' }),
  }
  const account: PaletteAction[] = isDemo
    ? []
    : [{ label: t('Your account'), icon: 'shield', words: t('password passkeys'), run: () => go(paths.account) }]
  if (role === 'crew') return [...pages, ...account, shortcuts]
  const records = NEW_RECORDS.map((record): PaletteAction => ({
    label: NEW_LABELS[record],
    icon: 'plus',
    words: record === 'lead' ? t('add call quick') : t('add create'),
    run: () => quickAccess.open({ part: 'record', record }),
  }))
  const topics = listSettingsTopics(role === 'owner' && !isDemo).map(
    ({ label, slug, about, keywords }): PaletteAction => ({
      label: t('Settings: {label}', { label }),
      icon: 'gear',
      words: [about, ...keywords].join(' '),
      run: () => go(paths.settings(slug)),
    }),
  )
  const start: PaletteAction[] = isDemo
    ? []
    : [
        {
          label: t('Guided start'),
          icon: 'sparkle',
          words: t('set up setup begin first steps'),
          run: () => go(paths.start()),
        },
      ]
  return [...records, ...pages, ...start, ...topics, ...account, shortcuts]
}
