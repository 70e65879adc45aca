import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { formatInvoiceName, useVoidInvoice } from '../mutations'
import { reasonSchema, type ReasonValues } from '../schema'
import type { InvoiceView } from '../types'

const MAX_REASON_LENGTH = 500

export function VoidInvoiceDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const take = useVoidInvoice(invoice.id)
  const submit = async ({ reason }: ReasonValues) => {
    await take.mutateAsync({ reason })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Void {invoice}?', { invoice: formatInvoiceName(invoice) })}>
      <Form
        label={t('Void the invoice')}
        schema={reasonSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>
              {t(
                'The customer can still open the link, and reads there that nothing is to be paid. Reminders stop. The number is not given again.',
              )}
            </p>
            {invoice.paid > 0 && (
              <p>
                {t(
                  'The {amount} paid stays with the customer: it pays their next invoice of this work, or you refund it.',
                  {
                    amount: formatCents(invoice.paid),
                  },
                )}
              </p>
            )}
            <TextField
              form={form}
              name="reason"
              label={t('Reason')}
              required
              maxLength={MAX_REASON_LENGTH}
              hint={t('For your own records')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Keep it')}
              </Button>
              <Button
                type="submit"
                variant="danger"
                icon="close"
                pending={take.isPending}
                pendingText={t('Taking it back...')}
              >
                {t('Void invoice')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
