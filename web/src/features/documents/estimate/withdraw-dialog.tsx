import { t } from '@/lib/i18n'
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
    <Dialog open onClose={onClose} title={t('Withdraw {number}?', { number: estimate.number })}>
      <Form
        label={t('Withdraw')}
        schema={withdrawEstimateSchema}
        defaultValues={{ reason: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>{estimateMessages.of[getEstimateKind(estimate)].withdraw}</p>
            <TextField
              form={form}
              name="reason"
              label={t('Reason')}
              required
              maxLength={500}
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
                pending={withdraw.isPending}
                pendingText={t('Withdrawing...')}
              >
                {t('Withdraw')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
