import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { estimateMessages } from './messages'
import { useWithdrawEstimate } from './mutations'
import { withdrawEstimateSchema, type WithdrawEstimateValues } from './send-schema'
import { getEstimateKind, type EstimateView } from './types'

type WithdrawEstimateDialogProps = { estimate: EstimateView; onClose: () => void }

export function WithdrawEstimateDialog({ estimate, onClose }: WithdrawEstimateDialogProps) {
  const withdraw = useWithdrawEstimate(estimate)
  const submit = async ({ reason }: WithdrawEstimateValues) => {
    await withdraw.mutateAsync(reason)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Withdraw ${estimate.number}?`}>
      <Form
        label="Withdraw"
        schema={withdrawEstimateSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>{estimateMessages.of[getEstimateKind(estimate)].withdraw}</p>
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
