import { useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { plural, t } from '@/lib/i18n'
import { useIsOutboxSending, useOutboxEntries } from '@/offline/outbox/use-outbox'
import { sendOutboxNow } from '@/offline/outbox/use-outbox-sync'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import { OutboxSheet } from './outbox-sheet'

export function OutboxStatusBar() {
  const entries = useOutboxEntries()
  const isSending = useIsOutboxSending()
  const isOnline = useOnline()
  const [isOpen, setIsOpen] = useState(false)
  const refused = entries.filter(({ refusal }) => refusal !== null).length
  const waiting = entries.length - refused
  const look = refused > 0 ? 'border-error/45 bg-error/8 text-error' : 'border-warning/45 bg-warning/8 text-warning'
  return (
    <>
      {entries.length > 0 && (
        <div
          className={`flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-field border py-1 pr-1 pl-3 ${look}`}
        >
          <p role="status" className="flex min-w-0 flex-1 items-center gap-2 text-note font-semibold">
            {isSending ? <Spinner size="small" /> : <Icon name={refused > 0 ? 'alert' : 'clock'} className="size-4" />}
            {[
              refused > 0 &&
                plural(refused, '{count} change needs your attention', '{count} changes need your attention'),
              waiting > 0 && plural(waiting, '{count} change waits to be sent', '{count} changes wait to be sent'),
            ]
              .filter(Boolean)
              .join(', ')}
          </p>
          <span className="flex">
            {waiting > 0 && isOnline && !isSending && (
              <Button variant="ghost" icon="send" onClick={() => void sendOutboxNow()}>
                {t('Send now')}
              </Button>
            )}
            <Button variant="ghost" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
              {t('Show')}
            </Button>
          </span>
        </div>
      )}
      <OutboxSheet open={isOpen} onClose={() => setIsOpen(false)} />
    </>
  )
}
