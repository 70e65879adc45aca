// Manual outcome of an unverifiable refund.
import { formatCents } from '@/lib/format/money'
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
    title: 'Mark as refunded?',
    look: 'Only if Stripe lists this refund.',
    happens: (amount: string) => `${amount} count as given back to the customer, and what is owed is reckoned anew.`,
    button: 'Mark as refunded',
  },
  not_refunded: {
    title: 'Mark as not refunded?',
    look: 'Only if Stripe does not list this refund.',
    happens: (amount: string) =>
      `The refund counts as failed, and the ${amount} can be given back once more. If Stripe has made it after all, the customer could get the money twice.`,
    button: 'Mark as not refunded',
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
        label="How the refund ended"
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
            <p>This cannot be undone. Your name is shown with it.</p>
            <TextField
              form={form}
              name="note"
              label="Note"
              maxLength={500}
              autoComplete="off"
              hint="For your own records"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" variant="danger" pending={settle.isPending} pendingText="Marking...">
                {button}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
