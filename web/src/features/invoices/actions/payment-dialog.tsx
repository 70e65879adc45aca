import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { METHOD_CHOICES } from '@/domain/payment'
import { formatCents } from '@/lib/format/money'
import { getZoneDay } from '@/lib/format/zone-time'
import { ledgerMessages } from '@/features/ledger/messages'
import { paymentSchema, type PaymentValues } from '@/features/ledger/schema'
import { t } from '@/lib/i18n'
import { parseMoney } from '@/lib/parse-money'
import { useCurrentUser } from '@/features/session/use-session'
import { AmountField } from '@/ui/amount-field'
import { Button } from '@/ui/button'
import { CheckboxField } from '@/ui/checkbox-field'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { toast } from '@/ui/toast/toast-store'
import { formatInvoiceName, useRecordInvoicePayment } from '../mutations'
import { invoiceQueries } from '../queries'
import type { InvoiceView } from '../types'

const MAX_REFERENCE_LENGTH = 60
const showInvalidToast = () => toast.error(ledgerMessages.invalid.title, ledgerMessages.invalid.description)

export function InvoicePaymentDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const record = useRecordInvoicePayment(invoice)
  const { data: lead } = useQuery(invoiceQueries.lead(orgId, invoice.leadId))
  const [now] = useState(() => Date.now())
  const submit = async ({ amount, date, method, reference, receipt }: PaymentValues) => {
    // The form has checked that it is an amount.
    await record.mutateAsync({
      amount: parseMoney(amount) ?? 0,
      date,
      method,
      receipt: receipt && Boolean(lead?.email),
      ...(reference === '' ? {} : { reference }),
    })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Payment of {invoice}', { invoice: formatInvoiceName(invoice) })}>
      <Form
        label={t('Payment')}
        schema={paymentSchema}
        defaultValues={{
          amount: invoice.balance.toFixed(2),
          date: getZoneDay(orgTimezone, now),
          method: 'check',
          reference: '',
          receipt: true,
        }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        onInvalid={showInvalidToast}
        className="grid gap-5"
      >
        {(form) => (
          <>
            <AmountField
              form={form}
              name="amount"
              label={t('Amount')}
              hint={t(
                '{amount} is unpaid. Less leaves the rest unpaid. More counts toward other work on this request, or becomes a credit.',
                {
                  amount: formatCents(invoice.balance),
                },
              )}
              isFirst
            />
            <TextField
              form={form}
              name="date"
              type="date"
              label={t('Payment date')}
              required
              max={getZoneDay(orgTimezone, now, 1)}
            />
            <ChoiceField
              form={form}
              name="method"
              label={t('Paid by')}
              choices={METHOD_CHOICES}
              className="grid-cols-2 sm:grid-cols-3"
            />
            <TextField
              form={form}
              name="reference"
              label={t('Reference')}
              maxLength={MAX_REFERENCE_LENGTH}
              autoComplete="off"
              placeholder={t('Check 204')}
            />
            {lead?.email && (
              <CheckboxField form={form} name="receipt">
                {t('Email the receipt to {email}', { email: lead.email })}
              </CheckboxField>
            )}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="dollar" pending={record.isPending} pendingText={t('Recording...')}>
                {t('Record payment')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
