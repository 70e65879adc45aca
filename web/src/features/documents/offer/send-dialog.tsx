import { useNavigate } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form, ignoreFailure } from '@/ui/form'
import { type Recipient, canReceiveTexts, ChannelFields, isOwnPhoneOnly, wantsText } from '../channel-fields'
import { useSendOffer } from './mutations'
import { sendOfferSchema, type SendOfferValues } from './send-schema'
import type { Offer } from './types'

type SendOfferDialogProps = { offer: Offer; to: Recipient; onClose: () => void }

export function SendOfferDialog({ offer, to, onClose }: SendOfferDialogProps) {
  const hasWay = Boolean(to.email) || canReceiveTexts(to)
  const isByOwnPhone = !hasWay && isOwnPhoneOnly(to)
  const send = useSendOffer(offer, isByOwnPhone)
  const navigate = useNavigate()
  const submit = async (values: SendOfferValues) => {
    await send.mutateAsync(values)
    onClose()
    if (isByOwnPhone) void navigate(paths.leadByHand(offer.leadId))
  }
  return (
    <Dialog open onClose={onClose} title={`Send ${offer.number} again`}>
      <Form
        label="Send again"
        schema={sendOfferSchema}
        defaultValues={{ email: Boolean(to.email), text: wantsText(to) }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <ChannelFields form={form} to={to} none="There is no email and no phone to send it to." />
            <p className="text-note text-muted">The reminders about it begin anew from today.</p>
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              {hasWay && (
                <Button type="submit" icon="send" pending={send.isPending} pendingText="Sending...">
                  Send again
                </Button>
              )}
              {isByOwnPhone && (
                <Button type="submit" icon="phone" pending={send.isPending} pendingText="Preparing...">
                  Text from my phone
                </Button>
              )}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
