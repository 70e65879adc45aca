// Resends the subscription link, optionally to a corrected address.
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import {
  type DemoRequest,
  demoRequestMessages as texts,
  invitationSchema,
  type InvitationValues,
  useSendSubscriptionLink,
} from '../demo-requests'

export function SendLinkDialog({ request, onClose }: { request: DemoRequest; onClose: () => void }) {
  const send = useSendSubscriptionLink(request.id)
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
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p>{texts.about}</p>
            <TextField
              form={form}
              name="email"
              label={t('Email Address')}
              type="email"
              required
              inputMode="email"
              autoCapitalize="none"
              autoComplete="off"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="mail" pending={send.isPending} pendingText={t('Sending...')}>
                {t('Send the link')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
