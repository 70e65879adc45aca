// Notes that the customer does not agree with an invoice: nobody reminds of it while that lasts.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { invoiceName, useDispute } from '../mutations'
import { reasonSchema, type ReasonValues } from '../schema'
import type { InvoiceView } from '../types'

const LONGEST_REASON = 500

/** The toast of a failure is the command's; the field shows the rest. */
const said = () => undefined

export function DisputeDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const dispute = useDispute(invoice.id)
  const submit = async ({ reason }: ReasonValues) => {
    await dispute.mutateAsync({ isDisputed: true, reason })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`${invoiceName(invoice)} is disputed`}>
      <Form
        label="Dispute"
        schema={reasonSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={said}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField
              form={form}
              name="reason"
              label="What they say"
              required
              maxLength={LONGEST_REASON}
              hint="No reminders go out until you settle it"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" icon="alert" pending={dispute.isPending} pendingText="Noting it...">
                Note the dispute
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
