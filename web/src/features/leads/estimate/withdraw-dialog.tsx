// Takes an estimate back, with the reason.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import type { EstimateView } from '../queries'
import { withdrawSchema, type WithdrawValues } from '../schema'
import { useWithdrawEstimate } from './mutations'

type WithdrawDialogProps = { leadId: string; estimate: EstimateView; onClose: () => void }

/** The toast of a failure is the command's; the field shows the rest. */
const said = () => undefined

export function WithdrawDialog({ leadId, estimate, onClose }: WithdrawDialogProps) {
  const withdraw = useWithdrawEstimate(leadId, estimate.id)
  const submit = async ({ reason }: WithdrawValues) => {
    await withdraw.mutateAsync(reason)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Withdraw ${estimate.number}?`}>
      <Form label="Withdraw the estimate" schema={withdrawSchema} defaultValues={{ reason: '' }} onSubmit={submit} onFailure={said} className="grid gap-4">
        {(form) => (
          <>
            <p>The customer can still open the link, and reads there that the estimate was withdrawn. It cannot be approved any more.</p>
            <TextField form={form} name="reason" label="Reason" required maxLength={500} hint="For your own records" />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>Keep it</Button>
              <Button type="submit" variant="danger" icon="close" pending={withdraw.isPending} pendingText="Withdrawing...">Withdraw</Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
