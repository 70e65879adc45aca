// Dispute of an invoice, which stops its reminders.
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { formatInvoiceName, useSetDispute } from '../mutations'
import { reasonSchema, type ReasonValues } from '../schema'
import type { InvoiceView } from '../types'

const MAX_REASON_LENGTH = 500

export function DisputeDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const dispute = useSetDispute(invoice.id)
  const submit = async ({ reason }: ReasonValues) => {
    await dispute.mutateAsync({ isDisputed: true, reason })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('{invoice} is disputed', { invoice: formatInvoiceName(invoice) })}>
      <Form
        label={t('Dispute')}
        schema={reasonSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField
              form={form}
              name="reason"
              label={t('What they say')}
              required
              maxLength={MAX_REASON_LENGTH}
              hint={t('No reminders go out until you settle it')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="alert" pending={dispute.isPending} pendingText={t('Noting it...')}>
                {t('Note the dispute')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
