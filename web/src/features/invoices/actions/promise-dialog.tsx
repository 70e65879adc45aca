// Notes the day by which the customer said they will have paid.
import { useState } from 'react'
import { dayIn } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { invoiceName, usePromise } from '../mutations'
import { promiseSchema, type PromiseValues } from '../schema'
import type { InvoiceView } from '../types'

/** The toast of a failure is the command's; the field shows the rest. */
const said = () => undefined

export function PromiseDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { orgTimezone } = useCurrentUser()
  const promise = usePromise(invoice.id)
  const [today] = useState(() => dayIn(orgTimezone, Date.now()))
  const submit = async ({ on }: PromiseValues) => {
    await promise.mutateAsync({ on })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Promise to pay ${invoiceName(invoice)}`}>
      <Form
        label="Promise to pay"
        schema={promiseSchema}
        defaultValues={{ on: invoice.promisedOn ?? '' }}
        onSubmit={submit}
        onFailure={said}
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
