// Header menu: user, theme, public form.
import { useEffect, useRef, useState } from 'react'
import { plural, t } from '@/lib/i18n'
import { IconButton } from '@/ui/button'
import { AccountPanel } from './account-panel'
import { CountBadge } from './count-badge'
import { useUnreadErrorCount } from './use-error-log'

const LABEL = t('Account and display')

const labelWithUnread = (unread: number) =>
  plural(
    unread,
    'Account and display, {count} unread notification',
    'Account and display, {count} unread notifications',
  )

type AccountMenuProps = { onErrors: () => void }

export function AccountMenu({ onErrors }: AccountMenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const unread = useUnreadErrorCount()
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setIsOpen(false)
    }
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setIsOpen(false)
      box.current?.querySelector('button')?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [isOpen])

  const showErrors = () => {
    setIsOpen(false)
    // Focus target for the closing list.
    box.current?.querySelector('button')?.focus()
    onErrors()
  }

  return (
    <div ref={box} className="relative">
      <IconButton
        label={unread > 0 ? labelWithUnread(unread) : LABEL}
        icon="user"
        aria-expanded={isOpen}
        aria-controls="account-menu"
        onClick={() => setIsOpen(!isOpen)}
      />
      {unread > 0 && (
        <CountBadge count={unread} tone="error" className="pointer-events-none absolute top-0.5 right-0.5" />
      )}
      {isOpen && (
        <div
          id="account-menu"
          className="glass-sheet absolute bg-base-100! top-full right-0 z-40 mt-2 w-80 max-w-[calc(100vw-2rem)] rounded-box p-4 shadow-xl"
        >
          <AccountPanel onErrors={showErrors} />
        </div>
      )}
    </div>
  )
}
