import type { UseFormReturn } from 'react-hook-form'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { parseMoney } from '@/lib/parse-money'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { AmountField } from '@/ui/amount-field'
import { isFromStripe, METHOD_CHOICES } from '@/domain/payment'
import { useRefundPayment } from './mutations'
import { refundSchema, type RefundValues } from './schema'
import type { PaymentView } from './types'

type RefundDialogProps = { payment: PaymentView; onClose: () => void }

/** Default: most refunds are goodwill or overpayments and not collected again. */
const BILL_CHOICES = [
  { value: 'forgiven', label: t('Take it off the bill'), hint: t('No one asks for it again.') },
  { value: 'owed', label: t('They owe it again'), hint: t('What it paid is unpaid again.') },
] as const

export function RefundDialog({ payment, onClose }: RefundDialogProps) {
  const refund = useRefundPayment(payment.id)
  const submit = async ({ amount, method, bill, note }: RefundValues) => {
    // The form has checked that it is an amount.
    await refund.mutateAsync({
      amount: parseMoney(amount) ?? 0,
      method,
      forgive: bill === 'forgiven',
      ...(note === '' ? {} : { note }),
    })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Refund this payment?')}>
      <Form
        label={t('Refund')}
        schema={refundSchema}
        defaultValues={{
          amount: payment.refundable.toFixed(2),
          method: payment.method === 'none' ? 'other' : payment.method,
          bill: 'forgiven',
          note: '',
        }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-5"
      >
        {(form) => <RefundFields form={form} payment={payment} isPending={refund.isPending} onClose={onClose} />}
      </Form>
    </Dialog>
  )
}

type FieldsProps = Pick<RefundDialogProps, 'payment' | 'onClose'> & {
  form: UseFormReturn<RefundValues>
  isPending: boolean
}

/** States before the press whether the button moves money. */
function RefundFields({ form, payment, isPending, onClose }: FieldsProps) {
  const isToCard = isFromStripe(payment) && form.watch('method') === 'card'
  return (
    <>
      <p>
        {t('The payment of {amount} stays in the books; the refund is listed below it.', {
          amount: formatMoney(payment.amount),
        })}
      </p>
      <AmountField form={form} name="amount" label={t('Amount')} hint={t('Less than all of it is possible')} isFirst />
      <ChoiceField
        form={form}
        name="method"
        label={t('Given back by')}
        choices={METHOD_CHOICES}
        className="grid-cols-2 sm:grid-cols-3"
      />
      {isFromStripe(payment) && (
        <p aria-live="polite" className="text-note">
          {isToCard
            ? t('Stripe sends the money back to the customer’s card; their bank shows it within days.')
            : t('Nothing goes back to the card: you hand the money over yourself.')}
        </p>
      )}
      <ChoiceField
        form={form}
        name="bill"
        label={t('And the bill?')}
        choices={BILL_CHOICES}
        className="grid-cols-1 sm:grid-cols-2"
      />
      <TextField form={form} name="note" label={t('Note')} maxLength={500} autoComplete="off" />
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button
          type="submit"
          variant="danger"
          pending={isPending}
          pendingText={isToCard ? t('Refunding...') : t('Recording...')}
        >
          {isToCard ? t('Refund to the card') : t('Record refund')}
        </Button>
      </div>
    </>
  )
}
