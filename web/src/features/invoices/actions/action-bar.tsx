import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { type InvoiceAction, getInvoiceActions, type InvoiceActionName } from '../lib/actions'
import { invoicesMessages } from '../messages'
import { useSetDispute, useSetPaymentPromise } from '../mutations'
import type { InvoiceView } from '../types'

const DIALOGS = {
  send: lazy(async () => ({ default: (await import('./send-dialog')).SendInvoiceDialog })),
  payment: lazy(async () => ({ default: (await import('./payment-dialog')).InvoicePaymentDialog })),
  edit: lazy(async () => ({ default: (await import('./edit-dialog')).EditInvoiceDialog })),
  promise: lazy(async () => ({ default: (await import('./promise-dialog')).PaymentPromiseDialog })),
  dispute: lazy(async () => ({ default: (await import('./dispute-dialog')).DisputeDialog })),
  link: lazy(async () => ({ default: (await import('./link-dialog')).RenewInvoiceLinkDialog })),
  void: lazy(async () => ({ default: (await import('./void-dialog')).VoidInvoiceDialog })),
  remove: lazy(async () => ({ default: (await import('./remove-dialog')).RemoveDraftDialog })),
} as const

type OpenDialog = keyof typeof DIALOGS | 'more'
const isDialog = (name: InvoiceActionName): name is keyof typeof DIALOGS => name in DIALOGS

export function InvoiceActionBar({ invoice }: { invoice: InvoiceView }) {
  const isOnline = useOnline()
  const [search, setSearch] = useSearchParams()
  const promise = useSetPaymentPromise(invoice.id)
  const dispute = useSetDispute(invoice.id)
  const actions = getInvoiceActions(invoice)
  // A link of the worklist opens the payment.
  const isCollecting = isOnline && search.get('do') === 'collect' && actions.some(({ name }) => name === 'payment')
  const [opened, setOpened] = useState<OpenDialog | undefined>(isCollecting ? 'payment' : undefined)
  // What takes it back is never the next step.
  const next = actions[0]?.isDanger ? undefined : actions[0]
  const others = next ? actions.slice(1) : actions
  const close = () => {
    setOpened(undefined)
    if (!search.has('do')) return
    search.delete('do')
    setSearch(search, { replace: true })
  }
  const run = ({ name }: InvoiceAction) => {
    if (isDialog(name)) return setOpened(name)
    close()
    if (name === 'unpromise') promise.mutate({ on: null })
    else dispute.mutate({ isDisputed: false })
  }
  const Opened = opened === undefined || opened === 'more' ? undefined : DIALOGS[opened]
  return (
    <div className="mx-auto flex max-w-xl flex-wrap items-center gap-2 lg:mx-0 lg:max-w-none">
      {next ? (
        <Button icon={next.icon} className="flex-1 lg:min-w-40" disabled={!isOnline} onClick={() => run(next)}>
          {next.label}
        </Button>
      ) : (
        <p className="flex-1 text-note text-muted lg:hidden">{t('Nothing is left to do here.')}</p>
      )}
      {others.length > 0 && (
        <Button
          variant="secondary"
          icon="dots"
          disabled={!isOnline}
          aria-haspopup="dialog"
          aria-label={t('More for this invoice')}
          pending={promise.isPending || dispute.isPending}
          onClick={() => setOpened('more')}
        >
          {t('More')}
        </Button>
      )}
      {!isOnline && <p className="w-full text-caption text-warning">{invoicesMessages.offline}</p>}
      <Dialog
        open={opened === 'more'}
        onClose={() => setOpened((now) => (now === 'more' ? undefined : now))}
        title={t('More')}
      >
        <ul className="grid gap-2">
          {others.map((action) => (
            <li key={action.label}>
              <Button
                variant={action.isDanger ? 'danger' : 'secondary'}
                icon={action.icon}
                wide
                className="justify-start"
                onClick={() => run(action)}
              >
                {action.label}
              </Button>
            </li>
          ))}
        </ul>
      </Dialog>
      {Opened && (
        <Suspense fallback={null}>
          <Opened invoice={invoice} onClose={close} />
        </Suspense>
      )}
    </div>
  )
}
