// Manual outcome of an unverifiable refund.
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useSettleRefund } from './mutations'
import { settleRefundSchema, type SettleRefundValues } from './schema'
import type { PaymentView, RefundOutcome } from './types'

type SettleRefundDialogProps = { refund: PaymentView; outcome: RefundOutcome; onClose: () => void }

const WORDS = {
  refunded: {
    title: t('Mark as refunded?'),
    look: t('Only if Stripe lists this refund.'),
    happens: (amount: string) =>
      t('{amount} count as given back to the customer, and what is owed is reckoned anew.', { amount }),
    button: t('Mark as refunded'),
  },
  not_refunded: {
    title: t('Mark as not refunded?'),
    look: t('Only if Stripe does not list this refund.'),
    happens: (amount: string) =>
      t(
        'The refund counts as failed, and the {amount} can be given back once more. If Stripe has made it after all, the customer could get the money twice.',
        { amount },
      ),
    button: t('Mark as not refunded'),
  },
} as const satisfies Record<
  RefundOutcome,
  { title: string; look: string; happens: (amount: string) => string; button: string }
>

export function SettleRefundDialog({ refund, outcome, onClose }: SettleRefundDialogProps) {
  const settle = useSettleRefund(refund.id)
  const { title, look, happens, button } = WORDS[outcome]
  const submit = async ({ note }: SettleRefundValues) => {
    await settle.mutateAsync({ outcome, ...(note === '' ? {} : { note }) })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form
        label={t('How the refund ended')}
        schema={settleRefundSchema}
        defaultValues={{ note: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>
              {look} {happens(formatCents(refund.amount))}
            </p>
            <p>{t('This cannot be undone. Your name is shown with it.')}</p>
            <TextField
              form={form}
              name="note"
              label={t('Note')}
              maxLength={500}
              autoComplete="off"
              hint={t('For your own records')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" variant="danger" pending={settle.isPending} pendingText={t('Marking...')}>
                {button}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
