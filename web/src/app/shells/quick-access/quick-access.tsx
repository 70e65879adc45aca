// Search, "+ New" and keyboard shortcuts of all staff screens. Fetched after the shell, and not ahead.
import { useEffect, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { type Shortcut, useShortcuts } from '@/lib/shortcuts/shortcut-registry'
import { CommandPalette } from '@/features/command-palette/command-palette'
import { ShortcutSheet } from '@/features/command-palette/shortcut-sheet'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { isStartPage } from '../nav-items'
import { buildPaletteActions } from './actions'
import { NewMenu } from './new-menu'
import { NewRecordDialog } from './new-record'
import { quickAccess, useOpenPart } from './quick-access-store'
import { useSharedCall } from './use-shared-call'

/** Lists, on which nothing else lies at the bottom of a phone. */
const LIST_PAGES: ReadonlySet<string> = new Set([
  paths.leads,
  paths.jobs,
  paths.schedule,
  paths.inbox,
  paths.customers,
  paths.invoices,
])

const openPalette = () => quickAccess.open({ part: 'palette' })
const openMenu = () => quickAccess.open({ part: 'menu' })

/** Buttons of the top bar. */
export function QuickAccessBar() {
  const { role } = useCurrentUser()
  return (
    <>
      {role !== 'crew' && (
        <Button icon="plus" className="mr-2 hidden lg:inline-flex" aria-haspopup="dialog" onClick={openMenu}>
          {t('New')}
        </Button>
      )}
      <IconButton label={t('Search')} icon="search" aria-haspopup="dialog" onClick={openPalette} />
    </>
  )
}

function useStaffShortcuts(isOffice: boolean): void {
  const navigate = useNavigate()
  const shortcuts = useMemo((): Shortcut[] => {
    const go = (path: string) => () => void navigate(path)
    const office: Shortcut[] = [
      { keys: 'g d', label: t('Dashboard'), run: go(paths.app) },
      { keys: 'g l', label: t('Leads'), run: go(paths.leads) },
      { keys: 'g j', label: t('Booked Jobs'), run: go(paths.jobs) },
      { keys: 'g i', label: t('Inbox'), run: go(paths.inbox) },
      { keys: 'g s', label: t('Schedule'), run: go(paths.schedule) },
      { keys: 'n', label: t('New lead, customer, estimate, job or invoice'), run: openMenu },
    ]
    const crew: Shortcut[] = [
      { keys: 'g d', label: t('Today'), run: go(paths.today) },
      { keys: 'g j', label: t('Booked Jobs'), run: go(paths.jobs) },
      { keys: 'g s', label: t('Schedule'), run: go(paths.schedule) },
    ]
    return [
      ...(isOffice ? office : crew),
      { keys: '/', label: t('Search'), run: openPalette },
      { keys: '?', label: t('This list'), run: () => quickAccess.open({ part: 'shortcuts' }) },
    ]
  }, [isOffice, navigate])
  useShortcuts(t('Everywhere'), shortcuts)
}

/** Ctrl-K and Cmd-K, also while typing. */
function usePaletteKey(): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      const isKey =
        event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isKey || event.repeat) return
      event.preventDefault()
      // A dialog may hold input: it stays.
      if (!document.querySelector('dialog[open]')) openPalette()
    }
    document.addEventListener('keydown', handleKey)
    return () => document.removeEventListener('keydown', handleKey)
  }, [])
}

export function QuickAccess() {
  const { role } = useCurrentUser()
  const isOffice = role !== 'crew'
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const open = useOpenPart()
  useStaffShortcuts(isOffice)
  usePaletteKey()
  useSharedCall(isOffice)
  const actions = useMemo(
    () => buildPaletteActions(role, isDemoMode(), (path) => void navigate(path)),
    [role, navigate],
  )
  const hasButton = isOffice && (isStartPage(pathname) || LIST_PAGES.has(pathname))
  return (
    <>
      {hasButton && (
        <button
          type="button"
          aria-label={t('New')}
          aria-haspopup="dialog"
          data-new-record=""
          className="btn btn-primary fixed right-[calc(1rem+var(--sai-right))] bottom-[calc(var(--nav-height)+var(--sai-bottom)+1rem)] z-20 size-14 rounded-full p-0 shadow-xl lg:hidden"
          onClick={openMenu}
        >
          <Icon name="plus" className="size-6" />
        </button>
      )}
      {open?.part === 'palette' && <CommandPalette actions={actions} onClose={() => quickAccess.close('palette')} />}
      {open?.part === 'menu' && <NewMenu onClose={() => quickAccess.close('menu')} />}
      {open?.part === 'shortcuts' && <ShortcutSheet onClose={() => quickAccess.close('shortcuts')} />}
      {open?.part === 'record' && (
        <NewRecordDialog
          key={open.record}
          record={open.record}
          shared={open.shared}
          onClose={() => quickAccess.close('record')}
        />
      )}
    </>
  )
}
