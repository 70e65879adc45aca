import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { invitationSchema, type InvitationValues } from '../demo-requests'
import { adminMessages } from '../messages'
import { useInviteBusiness } from '../mutations'

const texts = adminMessages.invite

export function InviteBusinessCard() {
  const invite = useInviteBusiness()
  const [sentTo, setSentTo] = useState<string>()
  const submit = async ({ email }: InvitationValues) => {
    await invite.mutateAsync(email)
    setSentTo(email)
  }
  return (
    <Card title={texts.title} icon="mail">
      <Form
        label={texts.title}
        schema={invitationSchema}
        defaultValues={{ email: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p className="text-note text-muted">{texts.about}</p>
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
            {sentTo && <Notice tone="success" title={t('Invitation made for {email}', { email: sentTo })} />}
            <Button
              type="submit"
              icon="mail"
              className="justify-self-start"
              pending={invite.isPending}
              pendingText={t('Sending...')}
            >
              {texts.send}
            </Button>
          </>
        )}
      </Form>
    </Card>
  )
}
