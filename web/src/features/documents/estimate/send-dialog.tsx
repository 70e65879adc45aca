import { useNavigate } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form, ignoreFailure } from '@/ui/form'
import { type Recipient, canReceiveTexts, ChannelFields, isOwnPhoneOnly, wantsText } from '../channel-fields'
import { useSendEstimate } from './mutations'
import { sendEstimateSchema, type SendEstimateValues } from './send-schema'
import type { EstimateView } from './types'

type SendEstimateDialogProps = { estimate: EstimateView; to: Recipient; onClose: () => void }

export function SendEstimateDialog({ estimate, to, onClose }: SendEstimateDialogProps) {
  const hasWay = Boolean(to.email) || canReceiveTexts(to)
  const isByOwnPhone = !hasWay && isOwnPhoneOnly(to)
  const send = useSendEstimate(estimate, isByOwnPhone)
  const navigate = useNavigate()
  const submit = async (values: SendEstimateValues) => {
    await send.mutateAsync(values)
    onClose()
    if (isByOwnPhone) void navigate(paths.leadByHand(estimate.leadId))
  }
  return (
    <Dialog open onClose={onClose} title={t('Send {number} again', { number: estimate.number })}>
      <Form
        label={t('Send again')}
        schema={sendEstimateSchema}
        defaultValues={{ email: Boolean(to.email), text: wantsText(to) }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <ChannelFields form={form} to={to} none={t('There is no email and no phone to send it to.')} />
            <p className="text-note text-muted">{t('The reminders about it begin anew from today.')}</p>
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              {hasWay && (
                <Button type="submit" icon="send" pending={send.isPending} pendingText={t('Sending...')}>
                  {t('Send again')}
                </Button>
              )}
              {isByOwnPhone && (
                <Button type="submit" icon="phone" pending={send.isPending} pendingText={t('Preparing...')}>
                  {t('Text from my phone')}
                </Button>
              )}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
