// Promised payment date.
import { useState } from 'react'
import { getZoneDay } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { formatInvoiceName, useSetPaymentPromise } from '../mutations'
import { promiseSchema, type PromiseValues } from '../schema'
import type { InvoiceView } from '../types'

export function PaymentPromiseDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { orgTimezone } = useCurrentUser()
  const promise = useSetPaymentPromise(invoice.id)
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const submit = async ({ on }: PromiseValues) => {
    await promise.mutateAsync({ on })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Promise to pay {invoice}', { invoice: formatInvoiceName(invoice) })}>
      <Form
        label={t('Promise to pay')}
        schema={promiseSchema}
        defaultValues={{ on: invoice.promisedOn ?? '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField
              form={form}
              name="on"
              type="date"
              label={t('They pay by')}
              required
              min={today}
              hint={t('Reminders rest until that day is over')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="calendar" pending={promise.isPending} pendingText={t('Noting it...')}>
                {t('Note the promise')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
