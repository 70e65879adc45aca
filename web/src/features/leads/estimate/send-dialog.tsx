// Sends an estimate once more, by the ways a person chooses.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form } from '@/ui/form'
import type { EstimateView, LeadDetail } from '../queries'
import { sendSchema, type SendValues } from '../schema'
import { useSendEstimate } from './mutations'
import { WayFields } from '@/paper/way-fields'

type SendDialogProps = { lead: LeadDetail; estimate: EstimateView; onClose: () => void }

/** The toast of a failure is the command's. */
const said = () => undefined

export function SendDialog({ lead, estimate, onClose }: SendDialogProps) {
  const send = useSendEstimate(lead.id, estimate.id)
  const hasWay = Boolean(lead.email) || Boolean(lead.phone)
  const submit = async (values: SendValues) => {
    await send.mutateAsync(values)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`Send ${estimate.number} again`}>
      <Form label="Send again" schema={sendSchema} defaultValues={{ email: Boolean(lead.email), text: Boolean(lead.phone) }} onSubmit={submit} onFailure={said} className="grid gap-4">
        {(form) => (
          <>
            <WayFields form={form} lead={lead} none="There is no email and no phone to send it to." />
            <p className="text-note text-muted">The reminders about it begin anew from today.</p>
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>Cancel</Button>
              {hasWay && <Button type="submit" icon="send" pending={send.isPending} pendingText="Sending...">Send again</Button>}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
