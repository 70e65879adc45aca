import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { offerMessages } from './messages'
import { useWithdrawOffer } from './mutations'
import { withdrawOfferSchema, type WithdrawOfferValues } from './send-schema'
import { getOfferKind, type Offer } from './types'

type WithdrawOfferDialogProps = { offer: Offer; onClose: () => void }

export function WithdrawOfferDialog({ offer, onClose }: WithdrawOfferDialogProps) {
  const withdraw = useWithdrawOffer(offer)
  const submit = async ({ reason }: WithdrawOfferValues) => {
    await withdraw.mutateAsync(reason)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Withdraw ${offer.number}?`}>
      <Form
        label="Withdraw"
        schema={withdrawOfferSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>{offerMessages.of[getOfferKind(offer)].withdraw}</p>
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
