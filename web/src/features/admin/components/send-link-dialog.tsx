// Mails the link to a subscription that was paid for once more, to the address that was given or a corrected one.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import {
  type DemoRequest,
  demoRequestTexts as texts,
  invitationSchema,
  type InvitationValues,
  useSendLink,
} from '../demo-requests'

/** The toast of a failure is the command's; the field shows the rest. */
const said = () => undefined

export function SendLinkDialog({ request, onClose }: { request: DemoRequest; onClose: () => void }) {
  const send = useSendLink(request.id)
  const submit = async (values: InvitationValues) => {
    await send.mutateAsync(values)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={`${texts.send}: ${request.orgName}`}>
      <Form
        label={texts.send}
        schema={invitationSchema}
        defaultValues={{ email: request.email }}
        onSubmit={submit}
        onFailure={said}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>{texts.about}</p>
            <TextField
              form={form}
              name="email"
              label="Email Address"
              type="email"
              required
              inputMode="email"
              autoCapitalize="none"
              autoComplete="off"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" icon="mail" pending={send.isPending} pendingText="Sending...">
                Send the link
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
