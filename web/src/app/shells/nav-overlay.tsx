// Phone overlay with the sidebar links.
import { useEffect, useRef } from 'react'
import { t } from '@/lib/i18n'
import { IconButton } from '@/ui/button'
import { Logo } from '@/ui/logo'
import { AccountPanel } from './account-panel'
import { LogoutButton } from './logout-button'
import { NavLinks } from './nav-links'

type NavOverlayProps = { open: boolean; onClose: () => void; onErrors: () => void }

export function NavOverlay({ open, onClose, onErrors }: NavOverlayProps) {
  const ref = useRef<HTMLDialogElement>(null)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])

  return (
    // Escape closes it by itself; the click is on the backdrop.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={ref}
      aria-label={t('Menu')}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
      className="overlay-in glass-sheet m-0 ml-auto h-dvh max-h-none w-[min(22rem,88vw)] max-w-none text-base-content backdrop:bg-black/60 lg:hidden"
    >
      {open && (
        <div className="flex min-h-full flex-col gap-5 p-4 pt-[calc(.5rem+var(--sai-top))] pb-[calc(1rem+var(--sai-bottom))]">
          <div className="flex items-center justify-between">
            <Logo />
            <IconButton label={t('Close menu')} icon="close" onClick={onClose} />
          </div>
          <nav aria-label={t('Menu')}>
            <NavLinks onNavigate={onClose} />
          </nav>
          <div className="mt-auto grid gap-3">
            <AccountPanel
              onNavigate={onClose}
              onErrors={() => {
                onClose()
                onErrors()
              }}
            />
            <LogoutButton />
          </div>
        </div>
      )}
    </dialog>
  )
}
