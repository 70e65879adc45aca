import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import * as z from 'zod/mini'
import { isSendingNow } from '@/domain/delivery-outlook'
import { useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ChoiceField, type ChoiceOption } from '@/ui/choice-field'
import { CopyField } from '@/ui/copy-field'
import { Dialog } from '@/ui/dialog'
import { SelectField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { StatusLine } from '@/ui/status-line'
import { peopleMessages as texts } from './messages'
import { type Invite, useInvitePerson } from './mutations'
import { peopleQueries } from './queries'

const MAX_NAME = 100
const MIN_PHONE_DIGITS = 10
const ROLES = [
  { value: 'crew', label: t('Crew'), hint: t('Sees the jobs of their crew on a phone: no money, no inbox') },
  { value: 'office', label: t('Office'), hint: t('Sees and does everything except managing the team') },
  { value: 'owner', label: t('Owner'), hint: t('Does everything, and decides who is on the team') },
] as const

const trimmed = () => z.string().check(z.trim())
const digits = (phone: string) => phone.replaceAll(/\D/g, '').length
const emailSchema = z.email()

const schema = z
  .object({
    name: trimmed().check(z.minLength(1, texts.name), z.maxLength(MAX_NAME)),
    way: z.enum(['email', 'phone']),
    email: trimmed(),
    phone: trimmed(),
    role: z.enum(['crew', 'office', 'owner']),
    crewId: z.string(),
  })
  .check(
    z.refine(({ way, email }) => way !== 'email' || emailSchema.safeParse(email).success, {
      message: texts.email,
      path: ['email'],
    }),
    z.refine(({ way, phone }) => way !== 'phone' || digits(phone) >= MIN_PHONE_DIGITS, {
      message: texts.phone,
      path: ['phone'],
    }),
  )
type InviteValues = z.infer<typeof schema>

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [invited, setInvited] = useState<Invite>()
  return (
    <Dialog
      open
      onClose={onClose}
      title={invited ? t('{name} is invited', { name: invited.name }) : t('Invite someone')}
    >
      {invited ? (
        <InviteSent invited={invited} onClose={onClose} />
      ) : (
        <InviteForm onInvited={setInvited} onClose={onClose} />
      )}
    </Dialog>
  )
}

function listChannelOptions(textsOff: string | undefined): ChoiceOption[] {
  const email = { value: 'email', label: t('Email') }
  const text = { value: 'phone', label: t('Text') }
  return [
    email,
    textsOff ? { ...text, hint: t('Texts are off: {reason}', { reason: textsOff }), disabled: true } : text,
  ]
}

function InviteForm({ onInvited, onClose }: { onInvited: (invited: Invite) => void; onClose: () => void }) {
  const invite = useInvitePerson()
  const textsOff = useTextsOffReason()
  const send = async ({ name, way, email, phone, role, crewId }: InviteValues) => {
    onInvited(
      await invite.mutateAsync({
        name,
        role,
        ...(way === 'email' ? { email } : { phone }),
        ...(role === 'crew' && crewId !== '' ? { crewId } : {}),
      }),
    )
  }
  const initialValues: InviteValues = { name: '', way: 'email', email: '', phone: '', role: 'crew', crewId: '' }
  return (
    <Form
      label={t('Invitation')}
      schema={schema}
      defaultValues={initialValues}
      onSubmit={send}
      onFailure={ignoreFailure}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
    >
      {(form) => (
        <>
          <TextField form={form} name="name" label={t('Name')} required autoComplete="off" maxLength={MAX_NAME} />
          <ChoiceField
            form={form}
            name="way"
            label={t('Send the link by')}
            choices={listChannelOptions(textsOff)}
            className="grid-cols-2"
          />
          <ContactField form={form} />
          <ChoiceField form={form} name="role" label={t('Role')} choices={ROLES} />
          <CrewChoice form={form} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onClose}>
              {t('Close')}
            </Button>
            <Button type="submit" icon="send" pending={form.formState.isSubmitting} pendingText={t('Inviting...')}>
              {t('Invite')}
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}

function ContactField({ form }: { form: UseFormReturn<InviteValues> }) {
  const way = useWatch({ control: form.control, name: 'way' })
  return way === 'email' ? (
    <TextField
      key="email"
      form={form}
      name="email"
      label={t('Email')}
      type="email"
      required
      inputMode="email"
      autoCapitalize="none"
      autoComplete="off"
    />
  ) : (
    <TextField
      key="phone"
      form={form}
      name="phone"
      label={t('Mobile number')}
      type="tel"
      required
      inputMode="tel"
      autoComplete="off"
    />
  )
}

function CrewChoice({ form }: { form: UseFormReturn<InviteValues> }) {
  const { orgId } = useCurrentUser()
  const role = useWatch({ control: form.control, name: 'role' })
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  const offered = crews.filter(({ isActive }) => isActive)
  if (role !== 'crew') return null
  if (offered.length === 0)
    return <p className="text-note text-muted">{t('No crews yet. Add one below, and say later who belongs to it.')}</p>
  return (
    <SelectField
      form={form}
      name="crewId"
      label={t('Crew')}
      placeholder={t('None yet')}
      options={offered.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

function describeHeldInvite({ channel, outlook }: NonNullable<Invite['sent']>, name: string): string {
  const state = outlook?.text ?? ''
  return channel === 'email'
    ? t('Email {state}. You can give {name} this link yourself.', { state, name })
    : t('Text {state}. You can give {name} this link yourself.', { state, name })
}

function InviteSent({ invited: { name, link, sent, phoneShown }, onClose }: { invited: Invite; onClose: () => void }) {
  const textsOff = useTextsOffReason()
  return (
    <div className="grid gap-4">
      {sent && isSendingNow(sent.outlook) && (
        <StatusLine tone="success" icon="check-circle">
          {sent.channel === 'email' ? t('The link is on its way by email.') : t('The link is on its way by text.')}
        </StatusLine>
      )}
      {sent && !isSendingNow(sent.outlook) && (
        <StatusLine tone="warning" icon="alert">
          {describeHeldInvite(sent, name)}
        </StatusLine>
      )}
      {!sent && (
        <StatusLine tone="warning" icon="alert">
          {phoneShown && textsOff
            ? t('Nothing could be sent: {reason}. Give {name} this link yourself.', { reason: textsOff, name })
            : t('Nothing could be sent. Give {name} this link yourself.', { name })}
        </StatusLine>
      )}
      <p className="text-muted">{t('The link is for {name} alone and is good for seven days, once.', { name })}</p>
      {link && <CopyField label={t('the invitation')} value={link} copied={texts.copied} failed={texts.notCopied} />}
      <Button wide onClick={onClose}>
        {t('Close')}
      </Button>
    </div>
  )
}
