// Takes an offer back, with the reason.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { offerMessages } from './messages'
import { useWithdrawOffer } from './mutations'
import { withdrawSchema, type WithdrawValues } from './answer-schema'
import { kindOf, type Offer } from './types'

type WithdrawDialogProps = { offer: Offer; onClose: () => void }

/** The toast of a failure is the command's; the field shows the rest. */
const said = () => undefined

export function WithdrawDialog({ offer, onClose }: WithdrawDialogProps) {
  const withdraw = useWithdrawOffer(offer)
  const submit = async ({ reason }: WithdrawValues) => {
    await withdraw.mutateAsync(reason)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Withdraw ${offer.number}?`}>
      <Form
        label="Withdraw"
        schema={withdrawSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={said}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>{offerMessages.of[kindOf(offer)].withdraw}</p>
            <TextField form={form} name="reason" label="Reason" required maxLength={500} hint="For your own records" />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Keep it
              </Button>
              <Button
                type="submit"
                variant="danger"
                icon="close"
                pending={withdraw.isPending}
                pendingText="Withdrawing..."
              >
                Withdraw
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
