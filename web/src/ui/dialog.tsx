// A modal on the browser's own <dialog>: it traps focus, closes on Escape, and gives focus back.
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { IconButton } from './button'

type DialogProps = {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  actions?: ReactNode
  /** For pictures; content may request it by `data-wide`, or the whole width by `data-full`. */ wide?: boolean
}

export function Dialog({ open, onClose, title, children, actions, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()

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
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
      className="modal modal-bottom sm:modal-middle"
    >
      <div
        className={classNames(
          'modal-box glass-sheet pb-[calc(1.5rem+var(--sai-bottom))]',
          wide ? 'sm:max-w-4xl' : 'sm:has-[[data-full]]:max-w-[88rem] sm:has-[[data-wide]]:max-w-4xl',
        )}
      >
        <header className="mb-3 flex items-start justify-between gap-3">
          <h2 id={titleId} className="min-w-0 pt-2 text-section wrap-anywhere">
            {title}
          </h2>
          <IconButton label={t('Close')} icon="close" className="-mt-1 -mr-2" onClick={onClose} />
        </header>
        {open && children}
        {open && actions && <footer className="mt-5 flex flex-wrap justify-end gap-2">{actions}</footer>}
      </div>
    </dialog>
  )
}
