// Promised payment date.
import { useState } from 'react'
import { getZoneDay } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/features/session/use-session'
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
    <Dialog open onClose={onClose} title={`Promise to pay ${formatInvoiceName(invoice)}`}>
      <Form
        label="Promise to pay"
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
              label="They pay by"
              required
              min={today}
              hint="Reminders rest until that day is over"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" icon="calendar" pending={promise.isPending} pendingText="Noting it...">
                Note the promise
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
