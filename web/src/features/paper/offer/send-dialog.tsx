// Sends an offer once more, by the ways a person chooses.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form } from '@/ui/form'
import { type Recipient, takesTexts, WayFields } from '../way-fields'
import { useSendOffer } from './mutations'
import { sendSchema, type SendValues } from './answer-schema'
import type { Offer } from './types'

type SendDialogProps = { offer: Offer; to: Recipient; onClose: () => void }

/** The toast of a failure is the command's. */
const said = () => undefined

export function SendDialog({ offer, to, onClose }: SendDialogProps) {
  const send = useSendOffer(offer)
  const hasWay = Boolean(to.email) || takesTexts(to)
  const submit = async (values: SendValues) => {
    await send.mutateAsync(values)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Send ${offer.number} again`}>
      <Form
        label="Send again"
        schema={sendSchema}
        defaultValues={{ email: Boolean(to.email), text: takesTexts(to) }}
        onSubmit={submit}
        onFailure={said}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <WayFields form={form} to={to} none="There is no email and no phone to send it to." />
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
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
